package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.file.disk.TakenOverException;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedCrash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Several processes that have one directory open because its lock is lost, and that are stopped for any time before any operation
 * on the disk. Of each of them the ledger says what the next owner must have found. Whoever is not the last owner must fail, and say
 * why. All choices come from the seed.
 */
final class Rivals {

    private static final int COMMANDS_UNTIL_NOTICED = 100;

    private final SplittableRandom random;
    private final UnaryOperator<Path> seam;
    private final Map<Sight, Integer> sights = new EnumMap<>(Sight.class);
    private Baton baton;
    private int highestEpoch;
    private int processes;

    /** What must be met now and then, or this does not show much. */
    enum Sight {
        /** An owner noticed after a write to the log, which nobody was told of. */
        LOST_AFTER_WRITE,
        /** An owner noticed before it would have deleted something, or switched manifests. */
        LOST_AT_CHECKPOINT,
        /** An owner noticed when it had been stopped and was about to deliver, or to answer. */
        LOST_ON_LOOP,
        /** An owner noticed because a file of its own was gone. */
        LOST_BY_MISSING_FILE,
        LOST_AT_CLOSING,
        /** An opening came to an end with the word that another one was faster. */
        LOST_WHILE_OPENING,
        /** An opening found the lock taken. */
        LOCKED,
        /** The next owner found what the one before had written and could not answer any more. */
        FOUND_UNANSWERED,
        CRASH_OF_ALL
    }

    Rivals(long seed) {
        this(seed, UnaryOperator.identity());
    }

    /** @param seam what the path goes through in each process */
    Rivals(long seed, UnaryOperator<Path> seam) {
        this.random = new SplittableRandom(seed);
        this.seam = seam;
    }

    Map<Sight, Integer> run() {
        Owner owner = new Owner(new SimulatedStore(random.nextLong(1L << 40), seam), new Ledger());
        owner.liveAlone();
        for (int rounds = 1 + random.nextInt(2); rounds > 0; rounds--) {
            owner = contest(owner);
        }
        owner.store.crash(owner.store.anyKind());
        Recoveries.recoverAndGoOn(owner.store, owner.workload);
        return sights;
    }

    private void see(Sight sight) {
        sights.merge(sight, 1, Integer::sum);
    }

    /** Returns who has the directory then: it is open, or its process has died with all others. */
    private Owner contest(Owner first) {
        int[] paces = {1, 2, 6, 20, 100};
        baton = new Baton(random.split(), paces[random.nextInt(paces.length)]);
        List<Owner> all = new ArrayList<>(List.of(first));
        for (int left = random.nextInt(4) == 0 ? 2 : 1; left > 0; left--) {
            all.add(new Owner(first.store.inOtherProcess(random.nextLong(1L << 40), seam), new Ledger()));
        }
        if (random.nextInt(3) == 0) {
            first.store.crashAfter(random.nextInt(200), first.store.anyKind());
        }
        runTogether(all);
        List<Owner> opened = all.stream()
                .filter(owner -> owner.epoch > 0)
                .sorted(Comparator.comparingInt(owner -> owner.epoch))
                .toList();
        for (int i = 0; i + 1 < opened.size(); i++) {
            judge(opened.get(i), opened.get(i + 1));
        }
        Owner last = opened.get(opened.size() - 1);
        if (!last.store.disk.crashed()) {
            assertThat(last.failure).as("failure of the last owner").isNull();
        } else {
            // Perhaps in an opening that had made an end of the last owner.
            see(Sight.CRASH_OF_ALL);
            last.store.crash(CrashKind.PROCESS_KILL);
            Recoveries.recover(last.store, last.workload);
            last.epoch = last.store.epoch();
        }
        last.store.disk.heal();
        return last;
    }

    private void runTogether(List<Owner> all) {
        List<Thread> threads = new ArrayList<>();
        for (Owner owner : all) {
            owner.number = baton.join();
            Thread thread = new Thread(owner::runInTurns, "owner-" + owner.number);
            thread.start();
            threads.add(thread);
        }
        all.get(0).store.disk.beforeEach(baton::mayPass);
        baton.start();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        all.get(0).store.disk.beforeEach(null);
        for (Owner owner : all) {
            if (owner.error != null) {
                throw new AssertionError(
                        "owner " + owner.number + " of epoch " + owner.epoch + ": " + owner.error, owner.error);
            }
        }
    }

    private void judge(Owner before, Owner after) {
        int told = before.workload.ledger().shown();
        try {
            before.workload.ledger().check(after.found);
        } catch (AssertionError e) {
            throw new AssertionError(
                    "epoch " + after.epoch + " after epoch " + before.epoch + ": " + e.getMessage(), e);
        }
        if (before.workload.ledger().commands() > told) {
            see(Sight.FOUND_UNANSWERED);
        }
    }

    private final class Owner {

        private final SimulatedStore store;
        private final Workload workload;
        private final RandomCommands commands;

        /** What was there when it had opened the store. */
        private Map<String, Ledger.Entry> found = Map.of();

        /** 0 until it has opened the store. */
        private int epoch;

        private int number;
        private @Nullable Throwable failure;
        private @Nullable Throwable error;

        Owner(SimulatedStore store, Ledger ledger) {
            this.store = store;
            this.workload = new Workload(store, ledger, 10_000 * processes++);
            this.commands = new RandomCommands(store, workload);
        }

        void liveAlone() {
            workload.openAndCheck();
            for (int restarts = random.nextInt(3); restarts > 0; restarts--) {
                goOn(random.nextInt(40));
                if (random.nextBoolean()) {
                    store.close();
                } else {
                    store.crash(store.anyKind());
                }
                workload.openAndCheck();
            }
            goOn(random.nextInt(60));
            opened();
        }

        private void opened() {
            epoch = store.epoch();
            highestEpoch = Math.max(highestEpoch, epoch);
        }

        private void goOn(int turns) {
            for (int left = turns; left > 0; left--) {
                commands.next();
                for (int steps = store.random.nextInt(5); steps > 0; steps--) {
                    store.step();
                }
            }
        }

        /** In a thread of its own. */
        void runInTurns() {
            baton.await(number);
            try {
                live();
            } catch (SimulatedStore.Died | SimulatedCrash dead) {
                // With all others.
            } catch (Throwable e) {
                error = e;
            } finally {
                baton.leave();
            }
        }

        private void live() throws IOException {
            try {
                if (epoch == 0) {
                    open();
                }
                commands.load();
                goOnUntilLast();
            } catch (StoreFailedException e) {
                failure = e;
                lookAt(e);
                end();
            } catch (StoreLockedException e) {
                failure = e;
                see(String.valueOf(e.getMessage()).contains("taken over") ? Sight.LOST_WHILE_OPENING : Sight.LOCKED);
            }
        }

        /** As when the file of the lock was deleted, again and again. */
        private void open() throws IOException {
            for (int pauses = random.nextInt(30); pauses > 0; pauses--) {
                baton.mayPass();
            }
            store.endProcess();
            Files.deleteIfExists(store.directory().resolve("LOCK"));
            found = workload.openAndBelieve();
            opened();
        }

        /** Until it is the only one, or fails; it must fail when it is not the last owner. */
        private void goOnUntilLast() {
            int turns = 5 + random.nextInt(60);
            int overtaken = 0;
            while (turns > 0 || !baton.isLast() || epoch < highestEpoch) {
                goOn(1);
                turns--;
                overtaken += epoch < highestEpoch ? 1 : 0;
                assertThat(overtaken).as("commands until it notices").isLessThan(COMMANDS_UNTIL_NOTICED);
                if (overtaken > 0 && random.nextInt(4) == 0) {
                    closeOvertaken();
                }
            }
        }

        /** Instead of a command: what it did not write is lost to it, and it says so, unless it had said so before. */
        private void closeOvertaken() {
            if (store.failure() == null) {
                store.close();
            }
            StoreFailedException failure = store.failure();
            if (failure == null) {
                throw new AssertionError("closed in order, though overtaken");
            }
            throw failure;
        }

        private void lookAt(StoreFailedException e) {
            String message = String.valueOf(e.getMessage());
            assertThat(message).contains("another process or engine has taken over the store in ");
            assertThat(workload.unanswered()).as("commands without an answer").isZero();
            if (store.closed()) {
                see(Sight.LOST_AT_CLOSING);
            } else {
                see(sight(e));
            }
        }

        private Sight sight(StoreFailedException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause.getSuppressed().length > 0) {
                    return Sight.LOST_BY_MISSING_FILE;
                }
                for (StackTraceElement frame : cause.getStackTrace()) {
                    if (cause instanceof TakenOverException
                            && frame.getClassName().contains("CommitLog$Write")) {
                        return Sight.LOST_AFTER_WRITE;
                    }
                    if (cause instanceof TakenOverException
                            && frame.getClassName().contains("Checkpoint$Task")) {
                        return Sight.LOST_AT_CHECKPOINT;
                    }
                }
            }
            return Sight.LOST_ON_LOOP;
        }

        /** What was on its way goes on, as in a process that does not know what to make of the failure. */
        private void end() {
            store.runOut();
            if (!store.closed()) {
                try {
                    store.closeNow();
                } catch (StoreException e) {
                    // It could not be closed in order.
                }
            }
        }
    }
}
