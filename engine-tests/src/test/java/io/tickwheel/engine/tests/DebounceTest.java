package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.ContendedException;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.NotTouchableException;
import io.tickwheel.engine.OverloadedException;
import io.tickwheel.engine.PushBack;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WhenFull;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** A timer is pushed back: by events that come again and again, up to a longest wait, and by touches. */
final class DebounceTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final Duration DELAY = Duration.ofSeconds(30);
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private final ManualClock clock = new ManualClock(NOW);
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<String> delivered = new ArrayList<>();
    private BiConsumer<Attempt, Delivery> receiver = (attempt, delivery) -> {
        delivered.add(attempt.text() + " at " + second());
        delivery.acknowledge();
    };
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore());
    private final Tickwheel engine = Tickwheel.builder(store)
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .retry(RetryPolicy.fixed(5, Duration.ofSeconds(20)).withJitter(0))
            .whenFull(WhenFull.REFUSE)
            .target("t", (attempt, delivery) -> receiver.accept(attempt, delivery))
            .queueDestination("q", new Destination("t", ""))
            .open();

    private long second() {
        return Duration.between(NOW, clock.now()).toSeconds();
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private static TimerRequest event(String text) {
        return TimerRequest.after("q", "k", DELAY)
                .withText(text)
                .withOnConflict(OnConflict.LATEST)
                .withMaxWait(MAX_WAIT);
    }

    private static TimerRequest touchable() {
        return TimerRequest.after("q", "k", DELAY).withText("idle").withTouchable();
    }

    /** What became of it, and in which second it is due. */
    private String sent(TimerRequest request) {
        Scheduled answer = settled(engine.schedule(request));
        return answer.outcome() + " " + due(answer.timer());
    }

    private String touched() {
        Changed answer = settled(engine.touch("q", "k"));
        return answer.outcome() + (answer.timer() == null ? "" : " " + due(answer.timer()));
    }

    private static long due(TimerView timer) {
        return Duration.between(NOW, timer.dueAt()).toSeconds();
    }

    private TimerView find() {
        return settled(engine.find("q", "k")).orElseThrow();
    }

    private void advance(int seconds) {
        threads.advance(Duration.ofSeconds(seconds));
    }

    // ---- a longest wait

    @Test
    void eventsPutATimerOffUpToTheLongestWaitFromTheFirstOne() {
        assertThat(sent(event("a"))).isEqualTo("CREATED 30");
        advance(20);
        assertThat(sent(event("b"))).isEqualTo("REPLACED 50");
        advance(20);
        assertThat(sent(event("c"))).isEqualTo("REPLACED 60");
        advance(19);
        assertThat(sent(event("d"))).isEqualTo("REPLACED 60");
        assertThat(delivered).isEmpty();
        advance(1);
        assertThat(delivered).containsExactly("d at 60");
        advance(10);
        assertThat(sent(event("e"))).isEqualTo("CREATED 100");
        advance(30);
        assertThat(delivered).containsExactly("d at 60", "e at 100");
    }

    @Test
    void firstEventIsCappedToo() {
        assertThat(sent(event("a").withMaxWait(Duration.ofSeconds(10)))).isEqualTo("CREATED 10");
    }

    @Test
    void longestWaitIsThatOfTheLastRequest() {
        assertThat(sent(event("a"))).isEqualTo("CREATED 30");
        advance(20);
        assertThat(sent(event("b").withMaxWait(Duration.ofSeconds(45)))).isEqualTo("REPLACED 45");
        assertThat(sent(event("c").withMaxWait(Duration.ofHours(1)))).isEqualTo("REPLACED 50");
    }

    @Test
    void timerDueLaterStaysUnlessThatIsLaterThanTheWaitAllows() {
        assertThat(sent(event("later"))).isEqualTo("CREATED 30");
        TimerRequest earlier = TimerRequest.at("q", "k", NOW.plusSeconds(29))
                .withText("earlier")
                .withOnConflict(OnConflict.LATEST);
        assertThat(sent(earlier.withMaxWait(MAX_WAIT))).isEqualTo("KEPT 30");
        assertThat(sent(earlier.withMaxWait(Duration.ofSeconds(30)))).isEqualTo("KEPT 30");
        assertThat(sent(earlier.withMaxWait(Duration.ofSeconds(25)))).isEqualTo("REPLACED 25");
        advance(25);
        assertThat(delivered).containsExactly("earlier at 25");
    }

    @Test
    void ofTwoEventsForTheSameTimeTheLastOneIsDelivered() {
        sent(event("a"));
        assertThat(sent(event("b"))).isEqualTo("REPLACED 30");
        advance(30);
        assertThat(delivered).containsExactly("b at 30");
    }

    @Test
    void timerThatDoesNotKnowItsFirstMomentBeginsItsWaitWithTheNextEvent() {
        settled(engine.schedule("q", "k", Duration.ofSeconds(10)));
        advance(5);
        assertThat(sent(event("a"))).isEqualTo("REPLACED 35");
        advance(25);
        assertThat(sent(event("b"))).isEqualTo("REPLACED 60");
        advance(25);
        assertThat(sent(event("c"))).isEqualTo("REPLACED 65");
    }

    @Test
    void touchableTimerKnowsItsFirstMoment() {
        settled(engine.schedule(touchable()));
        advance(20);
        assertThat(touched()).isEqualTo("CHANGED 50");
        advance(20);
        assertThat(sent(event("a"))).isEqualTo("REPLACED 60");
    }

    @Test
    void eventBehindAnAttemptBeginsAnew() {
        List<Delivery> running = new ArrayList<>();
        receiver = (attempt, delivery) -> running.add(delivery);
        sent(event("a"));
        advance(50);
        assertThat(find().state()).isEqualTo(TimerState.CLAIMED);
        assertThat(sent(event("b"))).isEqualTo("REPLACED 80");
        running.remove(0).acknowledge();
        advance(35);
        running.remove(0).fail("busy");
        threads.runUntilIdle();
        assertThat(find().state()).isEqualTo(TimerState.PENDING);
        assertThat(sent(event("c"))).isEqualTo("REPLACED 115");
        assertThat(find().attempts()).isZero();
    }

    @Test
    void cancelledAndDeadTimersCountAsNone() {
        sent(event("a"));
        advance(10);
        settled(engine.cancel("q", "k"));
        assertThat(sent(event("b"))).isEqualTo("CREATED 40");
        receiver = (attempt, delivery) -> delivery.reject("HTTP 410");
        advance(55);
        assertThat(find().state()).isEqualTo(TimerState.DEAD);
        assertThat(sent(event("c"))).isEqualTo("CREATED 95");
    }

    @Test
    void eventIsForTheTimerThatIsMeant() {
        CompletableFuture<Scheduled> none = engine.schedule(event("a").withExpectedId("tmr_9"));
        threads.runUntilIdle();
        assertThatThrownBy(() -> Tickwheel.await(none)).isInstanceOf(IdMismatchException.class);
        String id = settled(engine.schedule(event("a"))).timer().id();
        assertThat(sent(event("b").withExpectedId(id))).isEqualTo("REPLACED 30");
        CompletableFuture<Scheduled> other = engine.schedule(event("c").withExpectedId(id));
        threads.runUntilIdle();
        assertThatThrownBy(() -> Tickwheel.await(other))
                .isInstanceOf(IdMismatchException.class)
                .hasMessage("the timer k of queue q has the id tmr_2, must have tmr_1");
        advance(30);
        assertThat(delivered).containsExactly("b at 30");
    }

    @Test
    void longestWaitGoesWithLatestOnly() {
        for (OnConflict rule : OnConflict.values()) {
            if (rule != OnConflict.LATEST) {
                assertThatThrownBy(() -> engine.schedule(event("a").withOnConflict(rule)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("maxWait is PT1M and onConflict is " + rule + ", must be LATEST");
            }
        }
        assertThatThrownBy(() -> event("a").withMaxWait(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("maxWait is PT0S, must be 1 ms to ");
        assertThatThrownBy(() -> event("a").withMaxWait(Duration.ofNanos(1_500_000)))
                .hasMessage("maxWait is PT0.0015S, must be of whole milliseconds");
    }

    // ---- touch

    @Test
    void touchedTimerIsDueItsDelayFromNow() {
        assertThat(sent(touchable())).isEqualTo("CREATED 30");
        for (int i = 1; i <= 10; i++) {
            advance(20);
            assertThat(touched()).isEqualTo("CHANGED " + (20 * i + 30));
        }
        TimerView timer = find();
        assertThat(timer.version()).isEqualTo(1);
        advance(29);
        assertThat(delivered).isEmpty();
        advance(1);
        assertThat(delivered).containsExactly("idle at 230");
        assertThat(touched()).isEqualTo("WRONG_STATE 230");
    }

    @Test
    void delayOfATimeIsItsDistance() {
        sent(TimerRequest.at("q", "k", NOW.plusSeconds(40)).withTouchable());
        advance(10);
        assertThat(touched()).isEqualTo("CHANGED 50");
        sent(TimerRequest.at("other", "k", NOW).withTouchable());
        assertThat(settled(engine.touch("other", "k")).timer())
                .satisfies(timer -> assertThat(due(timer)).isEqualTo(10));
    }

    @Test
    void touchesEndWithTheLongestWait() {
        sent(event("a"));
        advance(20);
        assertThat(touched()).isEqualTo("CHANGED 50");
        advance(20);
        assertThat(touched()).isEqualTo("CHANGED 60");
        advance(19);
        assertThat(touched()).isEqualTo("CHANGED 60");
        advance(1);
        assertThat(delivered).containsExactly("a at 60");
    }

    /** An attempt at each touch would be no wait for a retry at all. */
    @Test
    void touchDoesNotBringARetryForward() {
        receiver = (attempt, delivery) -> delivery.fail("busy");
        sent(event("a"));
        advance(45);
        assertThat(find().attempts()).isEqualTo(1);
        assertThat(touched()).isEqualTo("CHANGED 60");
        advance(16);
        assertThat(find()).satisfies(timer -> {
            assertThat(timer.attempts()).isEqualTo(2);
            assertThat(timer.attemptAt()).isEqualTo(NOW.plusSeconds(80));
        });
        assertThat(touched()).isEqualTo("CHANGED 80");
        assertThat(find().attempts()).isEqualTo(2);
        advance(18);
        assertThat(find().attempts()).isEqualTo(2);
        advance(1);
        assertThat(find().attempts()).isEqualTo(3);
    }

    @Test
    void attemptsThatWereMadeCount() {
        receiver = (attempt, delivery) -> delivery.fail("busy");
        sent(touchable());
        advance(30);
        assertThat(touched()).isEqualTo("CHANGED 60");
        assertThat(find().attemptAt()).isEqualTo(NOW.plusSeconds(60));
        advance(30);
        assertThat(find().attempts()).isEqualTo(2);
    }

    @Test
    void timerThatDoesNotKnowItsDelayIsNotTouched() {
        TimerView timer = settled(engine.schedule("q", "k", DELAY)).timer();
        CompletableFuture<Changed> refused = engine.touch("q", "k");
        threads.runUntilIdle();
        assertThatThrownBy(() -> Tickwheel.await(refused))
                .isInstanceOfSatisfying(
                        NotTouchableException.class, e -> assertThat(e.timer()).isEqualTo(timer))
                .hasMessage("the timer k of queue q does not know its delay, must be scheduled with touchable or"
                        + " maxWait to be touched");
        assertThat(find()).isEqualTo(timer);
    }

    @Test
    void timerThatIsNotPendingIsNotTouched() {
        assertThat(touched()).isEqualTo("NOT_FOUND");
        receiver = (attempt, delivery) -> {};
        sent(touchable());
        advance(30);
        assertThat(touched()).isEqualTo("WRONG_STATE 30");
        assertThat(find().state()).isEqualTo(TimerState.CLAIMED);
    }

    @Test
    void touchIsForTheTimerThatIsMeant() {
        String id = settled(engine.schedule(touchable())).timer().id();
        settled(engine.schedule(touchable()));
        for (String key : List.of("k", "other")) {
            CompletableFuture<Changed> refused = engine.touch("q", key, CommandOptions.NONE.withExpectedId(id));
            threads.runUntilIdle();
            assertThatThrownBy(() -> Tickwheel.await(refused)).isInstanceOf(IdMismatchException.class);
        }
        advance(1);
        assertThat(settled(engine.touch("q", "k", CommandOptions.NONE.withExpectedId("tmr_2")))
                        .outcome())
                .isEqualTo(Changed.Outcome.CHANGED);
    }

    @Test
    void touchBeyondTheLastTimeIsRefused() {
        settled(engine.schedule(TimerRequest.at("q", "k", TimerRequest.LAST_DUE).withTouchable()));
        advance(1);
        CompletableFuture<Changed> refused = engine.touch("q", "k");
        threads.runUntilIdle();
        assertThatThrownBy(() -> Tickwheel.await(refused))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("due time is +10000-01-01T00:00:00.999Z");
        assertThat(engine.isRunning()).isTrue();
    }

    @Test
    void redrivenTimerCanBeTouchedAndAnotherWithItsContentCannot() {
        receiver = (attempt, delivery) -> delivery.reject("HTTP 410");
        sent(touchable());
        advance(30);
        TimerDetails dead = settled(engine.read("q", "k")).orElseThrow();
        PushBack known = new PushBack(DELAY, NOW, null);
        assertThat(dead.content())
                .satisfies(content -> assertThat(content.pushBack()).isEqualTo(known));
        settled(engine.redrive(dead, TimerRequest.after("q", "k", DELAY).withContentOf(dead)));
        advance(10);
        assertThat(touched()).isEqualTo("CHANGED 70");
        sent(TimerRequest.after("q", "k", DELAY).withContentOf(dead));
        assertThat(settled(engine.read("q", "k")).orElseThrow().content())
                .satisfies(content -> assertThat(content.pushBack()).isNull());
    }

    // ---- what comes between a look and the change

    /** Does what another node would do, once. */
    private void once(String call, BiConsumer<Calendar, Object[]> other) {
        boolean[] done = new boolean[1];
        store.before(call, (calendar, arguments) -> {
            if (!done[0]) {
                done[0] = true;
                other.accept(calendar, arguments);
            }
            return false;
        });
    }

    /** Takes an answer that nobody waits for. */
    private static <T> Answer<T> dropped() {
        return new Answer<>() {
            @Override
            public void accept(T result) {}

            @Override
            public void fail(StoreException failure) {}
        };
    }

    private void reschedule(Calendar calendar, int second) {
        calendar.change(
                ChangeCommand.reschedule(
                        new TimerKey("q", "k"), NOW.plusSeconds(second).toEpochMilli()),
                dropped());
    }

    @Test
    void touchBehindAnotherTouchStartsAgain() {
        sent(touchable());
        advance(10);
        once("change", (calendar, arguments) -> {
            clock.advance(Duration.ofSeconds(5));
            reschedule(calendar, 45);
        });
        assertThat(touched()).isEqualTo("CHANGED 45");
        once("change", (calendar, arguments) -> {
            reschedule(calendar, 46);
            clock.advance(Duration.ofSeconds(2));
        });
        assertThat(touched()).isEqualTo("CHANGED 47");
    }

    @Test
    void touchOfATimerThatIsCancelledMeanwhileFindsThat() {
        sent(touchable());
        once("change", (calendar, arguments) -> calendar.cancel(new TimerKey("q", "k"), dropped()));
        assertThat(touched()).isEqualTo("WRONG_STATE 30");
    }

    /** The other one was first by its clock, which is 20 seconds behind. */
    @Test
    void eventThatMeetsAnotherFirstOneKeepsItsMoment() {
        once("schedule", (calendar, arguments) -> {
            ScheduleCommand mine = (ScheduleCommand) arguments[0];
            byte[] content = mine.content().clone();
            ByteBuffer.wrap(content)
                    .putLong(content.length - 17, NOW.minusSeconds(20).toEpochMilli());
            calendar.schedule(
                    new ScheduleCommand(mine.key(), NOW.plusSeconds(10).toEpochMilli(), content, OnConflict.REPLACE, 0),
                    dropped());
        });
        assertThat(sent(event("a"))).isEqualTo("REPLACED 30");
        advance(25);
        assertThat(sent(event("b"))).isEqualTo("REPLACED 40");
    }

    @Test
    void eventThatMeetsAnotherOneLooksAgain() {
        sent(event("a"));
        advance(20);
        once("schedule", (calendar, arguments) -> {
            calendar.cancel(new TimerKey("q", "k"), dropped());
            calendar.schedule(
                    new ScheduleCommand(
                            new TimerKey("q", "k"),
                            NOW.plusSeconds(90).toEpochMilli(),
                            new byte[] {1, 0},
                            OnConflict.FAIL,
                            0),
                    dropped());
        });
        assertThat(sent(event("b"))).isEqualTo("REPLACED 50");
    }

    @Test
    void touchGivesUpWhenOthersChangeTheTimerAllTheTime() {
        sent(touchable());
        int[] changes = new int[1];
        store.before("change", (calendar, arguments) -> {
            reschedule(calendar, 100 + changes[0]++);
            return false;
        });
        CompletableFuture<Changed> refused = engine.touch("q", "k");
        CompletableFuture<Optional<TimerView>> behind = engine.find("q", "k");
        threads.runUntilIdle();
        assertThatThrownBy(() -> Tickwheel.await(refused))
                .isInstanceOf(ContendedException.class)
                .hasMessage("the timer k of queue q was changed by others 16 times between a look at it and its change;"
                        + " nothing was done");
        assertThat(changes[0]).isEqualTo(16);
        assertThat(behind.join())
                .get()
                .satisfies(timer -> assertThat(due(timer)).isEqualTo(115));
    }

    // ---- order, credits, failures, the end

    @Test
    void commandsOnAKeyTakeEffectInTheOrderOfTheCalls() {
        settled(engine.schedule(touchable()));
        advance(10);
        CompletableFuture<Changed> touched = engine.touch("q", "k");
        CompletableFuture<Optional<TimerView>> found = engine.find("q", "k");
        CompletableFuture<Changed> again = engine.touch("q", "k");
        CompletableFuture<Cancelled> cancelled = engine.cancel("q", "k");
        CompletableFuture<Scheduled> a = engine.schedule(event("a"));
        CompletableFuture<Scheduled> b = engine.schedule(event("b"));
        CompletableFuture<Changed> last = engine.reschedule("q", "k", Duration.ofSeconds(5));
        threads.runUntilIdle();
        assertThat(touched.join().outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertThat(found.join()).get().satisfies(timer -> assertThat(due(timer)).isEqualTo(40));
        assertThat(again.join().outcome()).isEqualTo(Changed.Outcome.CHANGED);
        assertThat(cancelled.join().outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(a.join().outcome()).isEqualTo(Scheduled.Outcome.CREATED);
        assertThat(b.join().outcome()).isEqualTo(Scheduled.Outcome.REPLACED);
        assertThat(last.join().timer())
                .satisfies(timer -> assertThat(due(timer)).isEqualTo(15));
        advance(5);
        assertThat(delivered).containsExactly("b at 15");
    }

    @Test
    void touchesTakeRoomUntilTheyAreAnswered() {
        int first = fill();
        for (int round = 0; round < 3; round++) {
            threads.runUntilIdle();
            assertThat(fill()).as("round %s", round).isEqualTo(first);
        }
    }

    private int fill() {
        for (int taken = 0; ; taken++) {
            CompletableFuture<Changed> answer = engine.touch("q", "k" + taken);
            if (answer.isDone()) {
                assertThatThrownBy(answer::join).hasCauseInstanceOf(OverloadedException.class);
                return taken;
            }
        }
    }

    @Test
    void lookThatFailsChangesNothing() {
        sent(touchable());
        store.before("read", (calendar, arguments) -> {
            ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", true));
            return true;
        });
        CompletableFuture<Changed> failed = engine.touch("q", "k");
        CompletableFuture<Optional<TimerView>> behind = engine.find("q", "k");
        threads.runUntilIdle();
        assertThatThrownBy(() -> Tickwheel.await(failed))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcomeUnknown()).isFalse())
                .hasMessage("away");
        assertThat(behind).isCompleted();
    }

    @Test
    void storeThatFailsAnswersWhatWaits() {
        sent(touchable());
        store.before("change", (calendar, arguments) -> {
            throw new StoreFailedException("planted", true, new IllegalStateException("disk"));
        });
        List<CompletableFuture<?>> answers = List.of(
                engine.touch("q", "k"),
                engine.touch("q", "k"),
                engine.find("q", "k"),
                engine.schedule(event("a")),
                engine.touch("q", "other"));
        threads.runUntilIdle();
        for (CompletableFuture<?> answer : answers) {
            assertThat(answer).isCompletedExceptionally();
            assertThatThrownBy(answer::join).hasCauseInstanceOf(StoreFailedException.class);
        }
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
    }

    @Test
    void whatWaitsAtTheCloseIsAnswered() {
        sent(touchable());
        advance(10);
        List<CompletableFuture<Changed>> touches = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            touches.add(engine.touch("q", "k"));
        }
        CompletableFuture<Void> closed = engine.closeAsync();
        CompletableFuture<Changed> late = engine.touch("q", "k");
        threads.runUntilIdle();
        assertThat(closed).isCompleted();
        assertThat(touches)
                .allSatisfy(touch -> assertThat(touch.join().outcome()).isEqualTo(Changed.Outcome.CHANGED));
        assertThatThrownBy(late::join).hasCauseInstanceOf(IllegalStateException.class);
    }

    // ---- across restarts

    @Test
    void delayAndFirstMomentSurviveARestart() {
        SimulatedEngine files = new SimulatedEngine(7);
        Tickwheel before = files.engine();
        CompletableFuture<Scheduled> touched =
                before.schedule(touchable().withDestination(SimulatedEngine.DESTINATION));
        CompletableFuture<Scheduled> put = before.schedule(TimerRequest.after("q", "put", DELAY)
                .withDestination(SimulatedEngine.DESTINATION)
                .withOnConflict(OnConflict.LATEST)
                .withMaxWait(MAX_WAIT));
        files.threads().advance(Duration.ofSeconds(20));
        assertThat(touched).isCompleted();
        assertThat(put).isCompleted();
        files.restart();
        CompletableFuture<Changed> again = files.engine().touch("q", "k");
        CompletableFuture<Changed> capped = files.engine().touch("q", "put");
        files.threads().runUntilIdle();
        files.threads().advance(Duration.ofSeconds(20));
        CompletableFuture<Changed> last = files.engine().touch("q", "put");
        files.threads().runUntilIdle();
        assertThat(again.join().timer())
                .satisfies(timer -> assertThat(due(timer)).isEqualTo(50));
        assertThat(capped.join().timer())
                .satisfies(timer -> assertThat(due(timer)).isEqualTo(50));
        assertThat(last.join().timer())
                .satisfies(timer -> assertThat(due(timer)).isEqualTo(60));
    }

    /** It may have a megabyte, and as many changes may be under way as there is room for that have none. */
    @Test
    @SuppressWarnings("unchecked")
    void contentIsNotKeptUntilTheChangeIsAnswered() {
        sent(touchable());
        List<WeakReference<StoredTimer>> seen = new ArrayList<>();
        List<Runnable> change = new ArrayList<>();
        store.before("read", (calendar, arguments) -> {
            Answer<List<StoredTimer>> look = (Answer<List<StoredTimer>>) arguments[1];
            calendar.read((TimerKey) arguments[0], new Answer<>() {

                @Override
                public void accept(List<StoredTimer> found) {
                    seen.add(new WeakReference<>(found.get(0)));
                    look.accept(found);
                }

                @Override
                public void fail(StoreException reason) {
                    look.fail(reason);
                }
            });
            store.before(
                    "change",
                    (changed, given) ->
                            change.add(() -> changed.change((ChangeCommand) given[0], (Answer<Changed>) given[1])));
            return true;
        });
        CompletableFuture<Changed> touch = engine.touch("q", "k");
        threads.runUntilIdle();
        assertThat(change).hasSize(1);
        for (int i = 0; i < 100 && seen.get(0).get() != null; i++) {
            System.gc();
        }
        assertThat(seen.get(0).get()).isNull();
        change.get(0).run();
        find();
        assertThat(settled(touch).outcome()).isEqualTo(Changed.Outcome.CHANGED);
    }
}
