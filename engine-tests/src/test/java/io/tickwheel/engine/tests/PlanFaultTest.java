package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerPlans;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
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

/** What comes between the claim of a plan and its next run: a store that is full or away, an end, a cancel, a close. */
class PlanFaultTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final Recurrence EACH_MINUTE = Recurrence.fixedRate(Duration.ofMinutes(1));

    private final ManualClock clock = new ManualClock(NOW);
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<String> started = new ArrayList<>();
    private final List<Delivery> running = new ArrayList<>();
    private boolean holds;
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore());
    private final Tickwheel engine = Tickwheel.builder(store)
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .target("t", this::deliver)
            .queueDestination("q", new Destination("t", ""))
            .open();

    private void deliver(Attempt attempt, Delivery delivery) {
        started.add("#" + attempt.run().getAsLong() + " at " + second());
        if (holds) {
            running.add(delivery);
        } else {
            delivery.acknowledge();
        }
    }

    private long second() {
        return Duration.between(NOW, clock.now()).toSeconds();
    }

    private List<String> until(long second) {
        threads.runUntilIdle();
        threads.advance(Duration.between(clock.now(), NOW.plusSeconds(second)));
        threads.runUntilIdle();
        List<String> taken = List.copyOf(started);
        started.clear();
        return taken;
    }

    private void schedule(Recurrence recurrence) {
        CompletableFuture<?> answer = engine.schedule(TimerRequest.recurring("q", "k", recurrence));
        threads.runUntilIdle();
        assertThat(answer).isDone();
    }

    private TimerState state(String key) {
        var answer = engine.find("q", key);
        threads.runUntilIdle();
        return answer.join().orElseThrow().state();
    }

    private void failsWith(StoreException reason, int times) {
        int[] left = {times};
        store.before("spawn", (calendar, arguments) -> {
            if (left[0] == 0) {
                return false;
            }
            left[0]--;
            spawning(arguments).fail(reason);
            return true;
        });
    }

    @SuppressWarnings("unchecked")
    private static Answer<Spawned> spawning(Object[] arguments) {
        return (Answer<Spawned>) arguments[1];
    }

    @Test
    void aPlanForWhichThereIsNoRoomComesAgainSoon() {
        schedule(EACH_MINUTE);
        failsWith(new StoreFullException("no room"), 3);
        assertThat(until(100)).containsExactly("#1 at 63");
        assertThat(engine.stats().refused()).as("runs for which there was none").isEqualTo(3);
        assertThat(until(120)).containsExactly("#2 at 120");
    }

    @Test
    @SuppressWarnings("unchecked")
    void aPlanWhoseRunCannotBeLookedAtComesAgainSoon() {
        schedule(EACH_MINUTE);
        until(60);
        boolean[] isAway = {true};
        store.before("find", (calendar, arguments) -> {
            boolean fails = isAway[0];
            isAway[0] = false;
            if (fails) {
                ((Answer<Object>) arguments[1]).fail(new StoreUnavailableException("away", false));
            }
            return fails;
        });
        assertThat(until(130)).containsExactly("#2 at 121");
    }

    /** Whoever put the new plan there did not see that run. */
    @Test
    @SuppressWarnings("unchecked")
    void aRunThatIsMadeWhileItsPlanIsReplacedIsWaitedFor() {
        holds = true;
        schedule(EACH_MINUTE);
        List<Runnable> late = new ArrayList<>();
        store.before(
                "schedule",
                (calendar, arguments) -> late.add(
                        () -> calendar.schedule((ScheduleCommand) arguments[0], (Answer<Scheduled>) arguments[1])));
        CompletableFuture<?> replaced = engine.schedule(TimerRequest.recurring("q", "k", EACH_MINUTE));
        assertThat(until(60)).containsExactly("#1 at 60");
        store.before("", (calendar, arguments) -> false);
        late.forEach(Runnable::run);
        assertThat(until(110)).isEmpty();
        assertThat(replaced).isDone();
        assertThat(until(130)).as("beside the run that goes on").isEmpty();
        running.remove(0).acknowledge();
        assertThat(until(180)).containsExactly("#2 at 180");
    }

    /** It was made: the plan stands where it stands, and this claim of it is over. */
    @Test
    void aRunWhoseAnswerIsLostIsNotMadeTwice() {
        schedule(EACH_MINUTE);
        store.before("spawn", (calendar, arguments) -> {
            Answer<Spawned> lost = spawning(arguments);
            calendar.spawn((SpawnCommand) arguments[0], new Answer<>() {

                @Override
                public void accept(Spawned result) {
                    lost.fail(new StoreUnavailableException("no answer", true));
                }

                @Override
                public void fail(StoreException reason) {
                    lost.fail(reason);
                }
            });
            return true;
        });
        assertThat(until(120)).containsExactly("#1 at 60", "#2 at 120");
        assertThat(engine.stats().running()).isZero();
    }

    @Test
    void aPlanThatIsCancelledWhileItMovesStartsNoRun() {
        schedule(EACH_MINUTE);
        List<Cancelled> cancelled = new ArrayList<>();
        store.before("spawn", (calendar, arguments) -> {
            calendar.cancel(new TimerKey("q", "k"), new Answer<>() {

                @Override
                public void accept(Cancelled result) {
                    cancelled.add(result);
                }

                @Override
                public void fail(StoreException reason) {
                    throw reason;
                }
            });
            return false;
        });
        assertThat(until(600)).isEmpty();
        assertThat(cancelled).hasSize(1);
        assertThat(state("k")).isEqualTo(TimerState.CANCELLED);
        assertThat(engine.liveCount()).isZero();
        assertThat(engine.stats().running()).isZero();
    }

    /** It would look again a second later, or a minute. */
    @Test
    void aRunThatEndsWhileItsPlanBeginsToWaitIsNotOverlooked() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(90)).containsExactly("#1 at 60");
        store.before("spawn", (calendar, arguments) -> {
            if (!running.isEmpty() && second() == 120) {
                running.remove(0).acknowledge();
            }
            return false;
        });
        assertThat(until(120)).containsExactly("#2 at 120");
    }

    @Test
    void aRunThatEndsWhileItsPlanLooksAgainIsNotOverlooked() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(130)).containsExactly("#1 at 60");
        store.before("postpone", (calendar, arguments) -> {
            if (!running.isEmpty() && second() > 130) {
                running.remove(0).acknowledge();
            }
            return false;
        });
        List<String> next = until(160);
        assertThat(next).hasSize(1);
        assertThat(engine.stats().running()).isEqualTo(1);
    }

    /** It is claimed when the pause looks at it, and a few turns later it is not any more. */
    @Test
    @SuppressWarnings("unchecked")
    void aPlanIsPausedThoughItMakesARunAtThatMoment() {
        schedule(EACH_MINUTE);
        List<CompletableFuture<Changed>> pauses = new ArrayList<>();
        store.before("find", (calendar, arguments) -> {
            pauses.add(engine.pausePlan("q", "k"));
            int[] turns = {0};
            store.before("work", (later, none) -> {
                if (++turns[0] == 4) {
                    later.find((TimerKey) arguments[0], (Answer<List<TimerView>>) arguments[1]);
                }
                return false;
            });
            return true;
        });
        assertThat(until(90)).containsExactly("#1 at 60");
        assertThat(pauses.get(0).join().outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertThat(until(300)).isEmpty();
    }

    /** Nobody tells the plan that its run was cancelled while that waited for another attempt. */
    @Test
    void aPlanThatHasWaitedForDaysLooksWithinAMinute() {
        holds = true;
        schedule(EACH_MINUTE.withOverlap(Overlap.QUEUE));
        assertThat(until(200_000)).containsExactly("#1 at 60");
        running.remove(0).fail("x", Duration.ofHours(5));
        assertThat(until(200_010)).isEmpty();
        CompletableFuture<Cancelled> cancelled = engine.cancel("q", TimerPlans.runKey("k", 1));
        threads.runUntilIdle();
        assertThat(cancelled.join().outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(until(200_070)).hasSize(1).allMatch(run -> run.startsWith("#2 "));
    }

    /** By the clock it ends in a while, as it was set back while the run went on. */
    @Test
    void aDelayBeginsNoLaterThanNow() {
        holds = true;
        schedule(Recurrence.fixedDelay(Duration.ofSeconds(30)));
        assertThat(until(30)).containsExactly("#1 at 30");
        clock.stepWall(Duration.ofSeconds(-25));
        assertThat(until(10)).isEmpty();
        running.remove(0).acknowledge();
        assertThat(until(39)).isEmpty();
        assertThat(until(40)).containsExactly("#2 at 40");
    }

    @Test
    void closingDoesNotWaitForAnAnswerThatDoesNotCome() {
        schedule(EACH_MINUTE);
        store.before("spawn", (calendar, arguments) -> true);
        until(61);
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isNotDone();
        threads.advance(Duration.ofMinutes(2));
        assertThat(closed).isCompleted();
    }

    /** Between its last run and its end it is paused, and the process stops. */
    @Test
    void planThatHasStartedItsLastRunEndsWhenItIsResumed() {
        ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
        ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
        MemoryTimerStore memory = new MemoryTimerStore();
        WatchedStore watched = new WatchedStore(memory);
        int[] claims = {0};
        watched.before(
                "claim",
                (calendar, arguments) ->
                        ((PendingTimer) arguments[0]).lane().queue().equals("q") && ++claims[0] > 1);
        Tickwheel first = Tickwheel.builder(watched)
                .clock(clock)
                .threads(threads)
                .queueDestination("q", new Destination("t", ""))
                .target("t", (attempt, delivery) -> delivery.acknowledge())
                .open();
        var unused = first.schedule(TimerRequest.recurring(
                "q", "k", Recurrence.fixedRate(Duration.ofHours(1)).withCount(1)));
        threads.advance(Duration.ofHours(1));
        assertThat(claims[0]).isGreaterThan(1);
        CompletableFuture<Changed> paused = first.pausePlan("q", "k");
        threads.runUntilIdle();
        assertThat(paused.join().outcome()).isEqualTo(Changed.Outcome.CHANGED);
        memory.crash();
        ManualThreads later = new ManualThreads(clock, new SplittableRandom(2));
        Tickwheel next = Tickwheel.builder(memory)
                .clock(clock)
                .threads(later)
                .queueDestination("q", new Destination("t", ""))
                .target("t", (attempt, delivery) -> delivery.acknowledge())
                .open();
        later.advance(Duration.ofMinutes(1));
        assertThat(next.liveCount()).isEqualTo(1);
        CompletableFuture<Changed> resumed = next.resumePlan("q", "k");
        later.runUntilIdle();
        assertThat(resumed.join().outcome()).isEqualTo(Changed.Outcome.CHANGED);
        later.advance(Duration.ofMillis(1));
        assertThat(next.liveCount()).isZero();
    }
}
