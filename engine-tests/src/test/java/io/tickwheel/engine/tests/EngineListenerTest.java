package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a listener is told of each thing that happens: once, and with what it was about. */
final class EngineListenerTest {

    private static final Destination ANYWHERE = new Destination("target", "anywhere");

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<String> told = new ArrayList<>();
    private final List<Delivery> running = new ArrayList<>();
    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .retry(RetryPolicy.exponential(2, Duration.ofSeconds(1)))
            .attemptsPerQueue(2)
            .target(ANYWHERE.target(), (attempt, delivery) -> running.add(delivery))
            .listener(new Telling())
            .open();

    private final class Telling implements EngineListener {

        @Override
        public void scheduled(Scheduled scheduled) {
            told.add("scheduled " + scheduled.timer().key().key() + " " + scheduled.outcome());
        }

        @Override
        public void cancelled(Cancelled cancelled) {
            told.add("cancelled " + cancelled.outcome());
        }

        @Override
        public void started(Attempt attempt) {
            told.add("started " + attempt.key() + " " + attempt.number());
        }

        @Override
        public void delivered(Attempt attempt) {
            told.add("delivered " + attempt.key() + " " + attempt.number());
        }

        @Override
        public void failed(Attempt attempt, String reason) {
            told.add("failed " + attempt.key() + " " + attempt.number() + " " + reason);
        }

        @Override
        public void postponed(Attempt attempt, Instant until, String reason) {
            told.add("postponed " + attempt.key() + " " + attempt.number() + " to " + until + " " + reason);
        }

        @Override
        public void dead(Attempt attempt, String reason) {
            told.add("dead " + attempt.key() + " " + attempt.number() + " " + reason);
        }

        @Override
        public void expired(Attempt attempt) {
            told.add("expired " + attempt.key() + " " + attempt.number());
        }

        @Override
        public void waiting(List<WaitingQueue> queues) {
            told.add("waiting " + queues.stream().map(WaitingQueue::queue).toList());
        }

        @Override
        public void stopped(Throwable cause) {
            told.add("stopped " + cause.getMessage());
        }
    }

    @Test
    void timerThatStaysIsNotCountedAsScheduled() {
        TimerRequest request = TimerRequest.after("q", "k", Duration.ofDays(1)).withOnConflict(OnConflict.KEEP);
        CompletableFuture<Scheduled> first = engine.schedule(request);
        CompletableFuture<Scheduled> second = engine.schedule(request);
        threads.runUntilIdle();
        assertThat(first.join().outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(second.join().outcome()).isEqualTo(Scheduled.Outcome.KEPT);
        assertThat(engine.stats().scheduled()).isOne();
    }

    @Test
    void listenerThatThrowsKeepsNothingFromTheOthers() {
        List<String> first = new ArrayList<>();
        List<String> last = new ArrayList<>();
        try (Tickwheel watched = Tickwheel.builder(new MemoryTimerStore())
                .listener(new Noting(first))
                .listener(new EngineListener() {
                    @Override
                    public void scheduled(Scheduled scheduled) {
                        throw new AssertionError("a listener's own fault");
                    }
                })
                .listener(new Noting(last))
                .open()) {
            watched.schedule("q", "a", Duration.ofHours(1)).join();
            watched.schedule("q", "b", Duration.ofHours(1)).join();
        }
        assertThat(first).containsExactly("a", "b");
        assertThat(last).containsExactly("a", "b");
    }

    private record Noting(List<String> keys) implements EngineListener {

        @Override
        public void scheduled(Scheduled scheduled) {
            keys.add(scheduled.timer().key().key());
        }
    }

    private void schedule(TimerRequest request) {
        settled(engine.schedule(request.withDestination(ANYWHERE)));
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private Delivery next() {
        threads.runUntilIdle();
        return running.remove(0);
    }

    private void assertTold(String... expected) {
        threads.runUntilIdle();
        assertThat(told).containsExactly(expected);
        told.clear();
    }

    @Test
    void commandsAreToldWithTheirOutcome() {
        schedule(TimerRequest.after("q", "a", Duration.ofSeconds(9)));
        schedule(TimerRequest.after("q", "a", Duration.ofSeconds(9)).withOnConflict(OnConflict.KEEP));
        settled(engine.cancel("q", "a"));
        settled(engine.cancel("q", "b"));
        assertTold("scheduled a CREATED", "scheduled a KEPT", "cancelled CANCELLED", "cancelled NOT_FOUND");
    }

    @Test
    void attemptsAreToldFromTheirStartToTheirEnd() {
        schedule(TimerRequest.after("q", "a", Duration.ZERO));
        next().acknowledge();
        assertTold("scheduled a CREATED", "started a 1", "delivered a 1");
        schedule(TimerRequest.after("q", "b", Duration.ZERO));
        next().fail("busy");
        assertTold("scheduled b CREATED", "started b 1", "failed b 1 busy");
        threads.advance(Duration.ofSeconds(3));
        next().fail("still busy");
        assertTold("started b 2", "dead b 2 still busy");
        schedule(TimerRequest.after("q", "c", Duration.ZERO));
        next().reject("never");
        assertTold("scheduled c CREATED", "started c 1", "dead c 1 never");
    }

    @Test
    void attemptThatIsPostponedIsToldAndDoesNotCount() {
        schedule(TimerRequest.after("q", "a", Duration.ZERO));
        Instant until = clock.now().plusSeconds(40).plusNanos(1);
        Delivery first = next();
        first.postpone("closed today", until);
        first.acknowledge();
        assertTold(
                "scheduled a CREATED",
                "started a 1",
                "postponed a 1 to " + clock.now().plusSeconds(40).plusMillis(1) + " closed today");
        threads.advance(Duration.ofSeconds(40));
        assertThat(running).as("not early").isEmpty();
        threads.advance(Duration.ofMillis(1));
        next().postpone("at once", Instant.EPOCH.minusSeconds(1));
        assertTold("started a 1", "postponed a 1 to " + clock.now() + " at once", "started a 1");
        next().fail("busy");
        threads.advance(Duration.ofSeconds(1));
        next().acknowledge();
        assertTold("failed a 1 busy", "started a 2", "delivered a 2");
        assertThat(engine.stats().postponed()).isEqualTo(2);
        assertThat(engine.stats().failed()).isOne();
    }

    @Test
    void timerThatIsPostponedBehindItsExpiryIsExpired() {
        schedule(TimerRequest.after("q", "a", Duration.ZERO).withExpireAfter(Duration.ofSeconds(5)));
        Instant dueAt = clock.now();
        next().postpone("later", dueAt.plusSeconds(5));
        threads.advance(Duration.ofSeconds(5));
        next().postpone("later", dueAt.plusSeconds(5).plusMillis(1));
        assertTold(
                "scheduled a CREATED",
                "started a 1",
                "postponed a 1 to " + dueAt.plusSeconds(5) + " later",
                "started a 1",
                "expired a 1");
    }

    @Test
    void attemptIsMadeAgainInTheLastMoment() {
        schedule(TimerRequest.after("q", "a", Duration.ZERO).withExpireAfter(Duration.ofSeconds(5)));
        next().fail("busy", Duration.ofSeconds(5));
        threads.advance(Duration.ofSeconds(5));
        next().acknowledge();
        assertTold("scheduled a CREATED", "started a 1", "failed a 1 busy", "started a 2", "delivered a 2");
    }

    @Test
    void timerIsNotPostponedBeyondWhatCanBeWritten() {
        schedule(TimerRequest.after("q", "a", Duration.ZERO));
        Delivery delivery = next();
        assertThatThrownBy(() -> delivery.postpone("never", TimerRequest.LAST_DUE.plusMillis(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("until is +10000-01-01T00:00:00Z, must be at most 9999-12-31T23:59:59.999Z");
        delivery.postpone("at the end of time", TimerRequest.LAST_DUE);
        assertTold(
                "scheduled a CREATED",
                "started a 1",
                "postponed a 1 to " + TimerRequest.LAST_DUE + " at the end of time");
    }

    /** A last attempt that fails tells that it has failed: its timer is not dead, but cancelled. */
    @Test
    void lastAttemptIsToldAsFailed() {
        for (String key : List.of("a", "b")) {
            schedule(TimerRequest.after("q", key, Duration.ZERO).withExpireAfter(Duration.ofMillis(100)));
            settled(engine.cancel("q", key));
        }
        next().reject("never");
        next().fail("busy");
        assertTold(
                "scheduled a CREATED",
                "started a 1",
                "cancelled LAST_ATTEMPT_RUNNING",
                "scheduled b CREATED",
                "started b 1",
                "cancelled LAST_ATTEMPT_RUNNING",
                "failed a 1 never",
                "failed b 1 it was too late");
    }

    @Test
    void timerThatIsTooLateIsToldAsExpired() {
        schedule(TimerRequest.after("q", "a", Duration.ofSeconds(1)).withExpireAfter(Duration.ofSeconds(5)));
        threads.stall(Duration.ofSeconds(7));
        assertTold("scheduled a CREATED", "expired a 1");
        schedule(TimerRequest.after("q", "b", Duration.ZERO).withExpireAfter(Duration.ofMillis(100)));
        next().fail("busy");
        assertTold("scheduled b CREATED", "started b 1", "expired b 1");
    }

    @Test
    void targetThatIsNotThereIsAFailure() {
        settled(engine.schedule(
                TimerRequest.after("q", "a", Duration.ZERO).withDestination(new Destination("nowhere", ""))));
        assertTold("scheduled a CREATED", "started a 1", "failed a 1 there is no target named nowhere");
    }

    @Test
    void queuesThatWaitAreToldAndThatTheyWaitNoMore() {
        for (String key : List.of("a", "b", "c")) {
            schedule(TimerRequest.after("q", key, Duration.ZERO));
        }
        told.clear();
        threads.advance(Duration.ofSeconds(3));
        assertThat(told).isNotEmpty().allMatch("waiting [q]"::equals);
        while (!running.isEmpty()) {
            next().acknowledge();
            threads.runUntilIdle();
        }
        told.clear();
        threads.advance(Duration.ofSeconds(3));
        assertTold("waiting []");
    }

    @Test
    void groupsOfCommandsThatAreDurableAreTold() {
        List<Long> synced = new ArrayList<>();
        Tickwheel onFiles = Tickwheel.builder(
                        FileTimerStore.in(new SimulatedDisk(1).path("/data")).withSegmentBytes(1 << 16))
                .clock(clock)
                .threads(threads)
                .random(() -> 7)
                .listener(new EngineListener() {
                    @Override
                    public void synced(long nanos) {
                        synced.add(nanos);
                    }
                })
                .open();
        settled(onFiles.schedule(TimerRequest.after("q", "a", Duration.ofSeconds(1))));
        assertThat(synced).isNotEmpty().allMatch(nanos -> nanos >= 0);
    }

    @Test
    void countsFollowWhatIsRunning() {
        for (String key : List.of("a", "b", "c")) {
            schedule(TimerRequest.after("q", key, Duration.ZERO));
        }
        assertThat(counts()).isEqualTo(new QueueCounts("q", 1, 2, 0));
        assertThat(engine.liveCount()).isEqualTo(3);
        while (!running.isEmpty()) {
            next().acknowledge();
            threads.runUntilIdle();
        }
        assertThat(counts()).isEqualTo(new QueueCounts("q", 0, 0, 0));
        assertThat(engine.liveCount()).isZero();
    }

    private QueueCounts counts() {
        return settled(engine.queues()).get(0);
    }
}
