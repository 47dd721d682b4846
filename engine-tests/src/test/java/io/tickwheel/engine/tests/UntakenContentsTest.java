package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who reads large contents, or leases them, may be slower than the engine: what nobody has taken yet must not fill the heap. */
final class UntakenContentsTest {

    private static final int MOST_BYTES = 2 << 20;
    private static final int CONTENT_BYTES = 256 << 10;
    private static final int TIMERS = 40;

    /** What a read or a cancel takes of the room for commands. */
    private static final int COMMAND_BYTES = 512;

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore());
    private final List<Runnable> answers = new ArrayList<>();
    private boolean isSlow;
    private int reads;

    private final Tickwheel engine = Tickwheel.builder(store)
            .clock(clock)
            .threads(threads)
            .attemptBytes(MOST_BYTES)
            .answers(this::answer)
            .open();

    private void answer(Runnable task) {
        if (isSlow) {
            answers.add(task);
        } else {
            task.run();
        }
    }

    private void schedule(Duration delay) {
        for (int i = 0; i < TIMERS; i++) {
            var scheduled = engine.schedule(TimerRequest.after("q", "k" + i, delay)
                    .withPayload(new byte[CONTENT_BYTES], "application/octet-stream"));
            threads.runUntilIdle();
            assertThat(scheduled).isCompleted();
        }
        isSlow = true;
    }

    /** Has those who wait take what the engine has given them by now, and nothing that it gives them meanwhile. */
    private void take() {
        threads.runUntilIdle();
        List<Runnable> given = List.copyOf(answers);
        answers.clear();
        given.forEach(Runnable::run);
    }

    private static long done(List<? extends CompletableFuture<?>> asked) {
        return asked.stream().filter(CompletableFuture::isDone).count();
    }

    private List<CompletableFuture<Optional<TimerDetails>>> readAll() {
        List<CompletableFuture<Optional<TimerDetails>>> asked = new ArrayList<>();
        for (int i = 0; i < TIMERS; i++) {
            asked.add(engine.read("q", "k" + i));
        }
        return asked;
    }

    @Test
    void readsWaitUntilContentsWereTaken() {
        schedule(Duration.ofHours(1));
        var asked = readAll();
        long before = 0;
        for (int rounds = 0; done(asked) < TIMERS; rounds++) {
            assertThat(rounds).isLessThan(TIMERS);
            take();
            long given = done(asked) - before;
            before = done(asked);
            assertThat(given).as("given in one go").isBetween(1L, (long) MOST_BYTES / CONTENT_BYTES);
        }
        for (int i = 0; i < TIMERS; i++) {
            assertThat(asked.get(i).join().orElseThrow().timer().key().key()).isEqualTo("k" + i);
        }
    }

    /** Each of them has the content of its plan until the store has answered. */
    @Test
    @SuppressWarnings("unchecked")
    void runsThatAreAskedForWaitUntilOthersWereMade() {
        for (int i = 0; i < TIMERS; i++) {
            var scheduled =
                    engine.schedule(TimerRequest.recurring("q", "k" + i, Recurrence.fixedRate(Duration.ofHours(1)))
                            .withPayload(new byte[CONTENT_BYTES], "application/octet-stream"));
            threads.runUntilIdle();
            assertThat(scheduled).isCompleted();
        }
        List<Runnable> held = new ArrayList<>();
        store.before(
                "schedule",
                (calendar, arguments) -> held.add(
                        () -> calendar.schedule((ScheduleCommand) arguments[0], (Answer<Scheduled>) arguments[1])));
        List<CompletableFuture<Changed>> asked = new ArrayList<>();
        for (int i = 0; i < TIMERS; i++) {
            asked.add(engine.runNow("q", "k" + i));
        }
        var found = engine.find("q", "k0");
        for (int rounds = 0; done(asked) < TIMERS; rounds++) {
            assertThat(rounds).isLessThan(TIMERS);
            threads.runUntilIdle();
            assertThat(held).as("made in one go").hasSizeBetween(1, MOST_BYTES / CONTENT_BYTES);
            List<Runnable> made = List.copyOf(held);
            held.clear();
            made.forEach(Runnable::run);
            var unused = engine.find("q", "k0");
            threads.runUntilIdle();
        }
        assertThat(found).isCompleted();
        asked.forEach(run -> assertThat(run.join().outcome()).isEqualTo(Changed.Outcome.CHANGED));
    }

    private void assertLooksWaitForOthers(Function<String, CompletableFuture<?>> command) {
        threads.runUntilIdle();
        List<Runnable> looks = new ArrayList<>();
        store.hold("read", looks);
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (int i = 0; i < TIMERS; i++) {
            asked.add(command.apply("k" + i));
        }
        for (int rounds = 0; done(asked) < TIMERS; rounds++) {
            assertThat(rounds).isLessThan(2 * TIMERS);
            threads.runUntilIdle();
            assertThat(looks).as("made in one go").hasSizeBetween(1, MOST_BYTES / CONTENT_BYTES);
            List<Runnable> made = List.copyOf(looks);
            looks.clear();
            made.forEach(Runnable::run);
            // Wakes the loop, as a store does that has answers.
            var unused = engine.find("q", "nobody");
            threads.runUntilIdle();
        }
        store.hold("", List.of());
        asked.forEach(answer -> assertThat(answer).isCompleted());
    }

    private void scheduleAll(Function<String, TimerRequest> request) {
        for (int i = 0; i < TIMERS; i++) {
            var scheduled = engine.schedule(
                    request.apply("k" + i).withPayload(new byte[CONTENT_BYTES], "application/octet-stream"));
            threads.runUntilIdle();
            assertThat(scheduled).isCompleted();
        }
    }

    @Test
    void touchesWaitUntilOthersHaveLooked() {
        scheduleAll(key -> TimerRequest.after("q", key, Duration.ofHours(1)).withTouchable());
        assertLooksWaitForOthers(key -> engine.touch("q", key));
    }

    @Test
    void schedulesWithALongestWaitWaitUntilOthersHaveLooked() {
        Function<String, TimerRequest> debounced = key -> TimerRequest.after("q", key, Duration.ofHours(1))
                .withMaxWait(Duration.ofHours(2))
                .withOnConflict(OnConflict.LATEST);
        scheduleAll(debounced);
        assertLooksWaitForOthers(key -> engine.schedule(debounced.apply(key)));
    }

    @Test
    void plansWaitUntilOthersHaveLooked() {
        Function<String, TimerRequest> plan =
                key -> TimerRequest.recurring("q", key, Recurrence.fixedRate(Duration.ofHours(1)));
        scheduleAll(plan);
        assertLooksWaitForOthers(key -> engine.schedule(plan.apply(key).withOnConflict(OnConflict.REPLACE)));
        assertLooksWaitForOthers(key -> engine.pausePlan("q", key));
        assertLooksWaitForOthers(key -> engine.resumePlan("q", key));
        assertLooksWaitForOthers(key -> engine.preview("q", key, 1));
        assertLooksWaitForOthers(key -> engine.runs("q", key));
    }

    /** A command that is overtaken looks again, and has nothing of what it saw before. */
    @Test
    void commandThatIsOvertakenLooksAgainThoughNothingElseHasRoom() {
        scheduleAll(key -> TimerRequest.after("q", key, Duration.ofHours(1)).withTouchable());
        int[] overtaken = {TIMERS};
        store.before("change", (calendar, arguments) -> {
            boolean isOvertaken = overtaken[0] > 0;
            if (isOvertaken) {
                overtaken[0]--;
                ((Answer<?>) arguments[1]).fail(new IdMismatchException(new TimerKey("q", "k"), "seen", null));
            }
            return isOvertaken;
        });
        assertLooksWaitForOthers(key -> engine.touch("q", key));
        assertThat(overtaken[0]).isZero();
    }

    @Test
    void commandsOnTheKeyOfAReadThatWaitsKeepTheirOrder() {
        schedule(Duration.ofHours(1));
        var asked = readAll();
        CompletableFuture<Cancelled> cancelled = engine.cancel("q", "k" + (TIMERS - 1));
        take();
        assertThat(cancelled).isNotDone();
        for (int rounds = 0; !cancelled.isDone(); rounds++) {
            assertThat(rounds).isLessThan(TIMERS);
            take();
        }
        assertThat(asked.get(TIMERS - 1).join().orElseThrow().timer().state()).isEqualTo(TimerState.PENDING);
    }

    @Test
    void otherCommandsDoNotWaitForThem() {
        schedule(Duration.ofHours(1));
        var asked = readAll();
        var scheduled = engine.schedule(TimerRequest.after("q", "other", Duration.ofHours(1)));
        take();
        assertThat(done(asked)).isLessThan(TIMERS);
        assertThat(scheduled).isCompleted();
    }

    @Test
    void readsThatWaitAreAnsweredBeforeTheEngineIsClosed() {
        schedule(Duration.ofHours(1));
        var asked = readAll();
        threads.runUntilIdle();
        var closed = engine.closeAsync();
        for (int rounds = 0; done(asked) < TIMERS; rounds++) {
            assertThat(rounds).isLessThan(TIMERS);
            assertThat(closed).isNotDone();
            take();
        }
        take();
        assertThat(closed).isCompleted();
        asked.forEach(read -> assertThat(read.join()).isPresent());
    }

    @Test
    void engineIsClosedThoughNobodyTakesWhatWasRead() {
        schedule(Duration.ofHours(1));
        var asked = readAll();
        CompletableFuture<Cancelled> cancelled = engine.cancel("q", "k" + (TIMERS - 1));
        threads.runUntilIdle();
        var closed = engine.closeAsync();
        threads.advance(Duration.ofSeconds(29));
        assertThat(closed).isNotDone();
        threads.advance(Duration.ofSeconds(1));
        assertThat(closed).isCompleted();
        take();
        assertThat(done(asked)).isEqualTo(TIMERS);
        assertThat(asked.get(0).join()).isPresent();
        assertThatThrownBy(asked.get(TIMERS - 1)::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(cancelled::join).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void readsThatWaitAreRefusedWhenTheStoreFails() {
        schedule(Duration.ofHours(1));
        var asked = readAll();
        threads.runUntilIdle();
        store.before("cancel", (calendar, arguments) -> {
            throw new StoreFailedException("the disk is gone", true, null);
        });
        var unused = engine.cancel("q", "another");
        take();
        take();
        assertThat(done(asked)).isEqualTo(TIMERS);
        assertThatThrownBy(asked.get(TIMERS - 1)::join).hasCauseInstanceOf(StoreFailedException.class);
    }

    @Test
    void leasesWaitUntilContentsWereTaken() {
        schedule(Duration.ZERO);
        List<CompletableFuture<List<Lease>>> asked = new ArrayList<>();
        for (int i = 0; i < TIMERS; i++) {
            asked.add(engine.lease(LeaseRequest.of("q").withWait(Duration.ofSeconds(20))));
        }
        long before = 0;
        for (int rounds = 0; done(asked) < TIMERS; rounds++) {
            assertThat(rounds).isLessThan(TIMERS);
            take();
            long given = done(asked) - before;
            before = done(asked);
            // Once what was given to them, and once what was on its way to be.
            assertThat(given).as("given in one go").isBetween(1L, 2L * MOST_BYTES / CONTENT_BYTES);
        }
        asked.forEach(poll -> assertThat(poll.join()).hasSize(1));
    }

    @Test
    void otherCommandsDoNotWaitForThousandsOfReads() {
        List<CompletableFuture<Optional<TimerDetails>>> asked = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            asked.add(engine.read("q", "n" + i));
        }
        var scheduled = engine.schedule(TimerRequest.after("q", "other", Duration.ofHours(1)));
        var before = scheduled.thenApply(done -> done(asked));
        threads.runUntilIdle();
        assertThat(done(asked)).isEqualTo(3_000);
        assertThat(before.join()).isLessThan(100);
    }

    @Test
    void readsThatComeOneAfterTheOtherKeepNoLeasesBack() {
        schedule(Duration.ZERO);
        isSlow = false;
        for (int i = 0; i < 8; i++) {
            readAgainAndAgain(1_000);
        }
        int[] before = {-1};
        var lease = engine.lease(LeaseRequest.of("q").withWait(Duration.ofSeconds(20)));
        var unused = lease.thenRun(() -> before[0] = reads);
        threads.runUntilIdle();
        assertThat(lease.join()).hasSize(1);
        assertThat(reads).isEqualTo(8_000);
        assertThat(before[0]).isLessThan(100);
    }

    /** Whoever waits for each other would do so for ever: a read for room, which its callers take, and they for room for what they ask next. */
    @Test
    @Timeout(value = 60, threadMode = SEPARATE_THREAD)
    void whoTakesAnAnswerMayAskForMoreThoughNoCommandHasRoom() {
        schedule(Duration.ofHours(1));
        int[] begun = {0};
        store.before("read", (calendar, arguments) -> {
            begun[0]++;
            return false;
        });
        var asked = readAll();
        threads.runUntilIdle();
        long most = Math.min(64 << 20, Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 8));
        for (long left = most / COMMAND_BYTES - (TIMERS - begun[0]); left > 0; left--) {
            var unused = engine.read("q", "n" + left);
        }
        var cancelled = asked.get(0).thenCompose(read -> engine.cancel("q", "k0"));
        take();
        take();
        assertThat(cancelled).isCompleted();
        for (int rounds = 0; done(asked) < TIMERS; rounds++) {
            assertThat(rounds).isLessThan(TIMERS);
            take();
        }
    }

    private void readAgainAndAgain(int times) {
        if (times > 0) {
            var unused = engine.read("q", "n" + times % 16).thenRun(() -> {
                reads++;
                readAgainAndAgain(times - 1);
            });
        }
    }
}
