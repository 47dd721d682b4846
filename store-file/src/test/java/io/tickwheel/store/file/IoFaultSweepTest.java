package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tickwheel.store.Answer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The canonical script, with a fault in each of its disk operations in turn, for once or from then on. */
@Tag("simulated")
class IoFaultSweepTest {

    /** Orders of the executors that are tried for each operation: {@code -Dtickwheel.orders=4} tries more. */
    private static final int ORDERS = Integer.getInteger("tickwheel.orders", 1);

    /** One operation in so many fails, another one for a fault that lasts; all of them in the long form. */
    private static final int STRIDE = Integer.getInteger("tickwheel.stride", 1);

    /** So many runs in a row without a failure, for 60 operations or more: the script has no more operations of that kind. */
    private static final int BEYOND = Math.max(10, 60 / STRIDE) * ORDERS;

    private enum Outcome {
        DONE,
        NOT_OPENED,
        FAILED,
        NOT_CLOSED
    }

    static Stream<Arguments> faults() {
        return Arrays.stream(DiskFault.values())
                .filter(fault -> fault != DiskFault.SHORT_WRITE && fault != DiskFault.NO_DESCRIPTOR)
                .flatMap(fault -> Stream.of(arguments(fault, false), arguments(fault, true)));
    }

    @ParameterizedTest(name = "{0}, lasting {1}")
    @MethodSource("faults")
    void faultFailsTheStoreForGoodAndNothingAnsweredIsLost(DiskFault fault, boolean lasting) {
        int failed = 0;
        int unharmed = 0;
        for (int operation = lasting ? 0 : STRIDE - 1; unharmed < BEYOND; operation += STRIDE) {
            for (int order = 0; order < ORDERS; order++) {
                if (run(operation, order, fault, lasting) == Outcome.DONE) {
                    unharmed++;
                } else {
                    unharmed = 0;
                    failed++;
                }
            }
        }
        assertThat(failed).as("failures").isGreaterThan(20 * ORDERS / STRIDE);
    }

    @ParameterizedTest
    @EnumSource(names = {"SHORT_WRITE"})
    void shortWriteIsContinuedOrFailsTheStore(DiskFault fault) {
        for (int operation = 0; operation < 250; operation += (STRIDE + 3) / 4) {
            for (int order = 0; order < ORDERS; order++) {
                run(operation, order, fault, (operation + order) % 2 == 0);
            }
        }
    }

    private static Outcome run(int operation, int order, DiskFault fault, boolean lasting) {
        SimulatedStore store = new SimulatedStore(ORDERS * operation + order);
        Workload workload = new Workload(store);
        try {
            if (lasting) {
                store.disk.failFrom(operation, fault);
            } else {
                store.disk.failAfter(operation, fault);
            }
            Outcome outcome = runScript(store, workload);
            store.disk.heal();
            losePower(store);
            Recoveries.recoverAndGoOn(store, workload);
            return outcome;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    fault + " at operation " + operation + " of its kind, order " + order + ": " + e.getMessage() + "\n"
                            + String.join("\n", store.disk.trace()),
                    e);
        }
    }

    private static Outcome runScript(SimulatedStore store, Workload workload) {
        Outcome outcome = Outcome.DONE;
        try {
            new CanonicalScript(store, workload).run();
        } catch (StoreFailedException failed) {
            if (store.closed()) {
                outcome = Outcome.NOT_CLOSED;
            } else {
                outcome = Outcome.FAILED;
                checkFailedForGood(store, workload);
            }
        } catch (StoreException notOpened) {
            assertThat(notOpened).isNotInstanceOfAny(StoreCorruptedException.class, StoreFormatException.class);
            outcome = Outcome.NOT_OPENED;
        }
        assertThat(store.disk.openChannels()).as("left open").isEmpty();
        return outcome;
    }

    private static void checkFailedForGood(SimulatedStore store, Workload workload) {
        assertThat(workload.unanswered()).as("commands without an answer").isZero();
        int answered = workload.answered();
        checkRefused(store);
        store.disk.heal();
        store.runOut();
        checkRefused(store);
        assertThat(workload.answered()).as("answers after the failure").isEqualTo(answered);
        long syncs = store.disk.syncs();
        store.calendar().close();
        assertThat(store.disk.syncs())
                .as("syncs at the closing of a failed store")
                .isEqualTo(syncs);
    }

    private static void checkRefused(SimulatedStore store) {
        assertThatThrownBy(() -> store.calendar().work(10)).isInstanceOf(StoreFailedException.class);
        List<StoreException> refusals = new ArrayList<>();
        store.calendar()
                .schedule(
                        new ScheduleCommand(Workload.key("even/k0"), 1, new byte[0], OnConflict.REPLACE, 0),
                        refusal(refusals));
        store.calendar().cancel(Workload.key("even/k0"), refusal(refusals));
        store.calendar().find(Workload.key("even/k0"), refusal(refusals));
        assertThat(refusals)
                .hasSize(3)
                .allSatisfy(refusal -> assertThat(refusal)
                        .isInstanceOfSatisfying(
                                StoreFailedException.class,
                                failed -> assertThat(failed.outcomeUnknown()).isFalse()));
    }

    private static <T> Answer<T> refusal(List<StoreException> refusals) {
        return new Answer<>() {
            @Override
            public void accept(T result) {
                throw new AssertionError("answered by a failed store: " + result);
            }

            @Override
            public void fail(StoreException failure) {
                refusals.add(failure);
            }
        };
    }

    /** One time in two the system first stays up, and shows the store what a failed sync has not brought to the disk. */
    private static void losePower(SimulatedStore store) {
        if (store.random.nextBoolean()) {
            store.disk.dropCache();
            store.crash(CrashKind.POWER_LOSS);
        } else {
            store.crash(CrashKind.POWER_LOSS_MINIMAL);
        }
    }
}
