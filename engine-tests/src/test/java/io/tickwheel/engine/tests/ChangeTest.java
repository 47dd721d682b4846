package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.PayloadCodec;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Changed;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** A timer that is there is rescheduled, run, redriven or purged; its attempts are remembered. */
final class ChangeTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private final ManualClock clock = new ManualClock(NOW);
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<PastAttempt> ended = new ArrayList<>();
    private BiConsumer<Attempt, Delivery> receiver = (attempt, delivery) -> delivery.acknowledge();
    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .retry(RetryPolicy.fixed(3, Duration.ofSeconds(10)).withJitter(0))
            .target("t", (attempt, delivery) -> receiver.accept(attempt, delivery))
            .queueDestination("q", new Destination("t", ""))
            .listener(new EngineListener() {
                @Override
                public void ended(Attempt attempt, PastAttempt past) {
                    ended.add(past);
                }
            })
            .open();

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private TimerView find(String key) {
        return settled(engine.find("q", key)).orElseThrow();
    }

    private Changed changed(CompletableFuture<Changed> answer) {
        Changed changed = settled(answer);
        assertThat(changed.outcome()).isEqualTo(Changed.Outcome.CHANGED);
        return changed;
    }

    private void dead(String key, byte[] payload) {
        receiver = (attempt, delivery) -> delivery.reject("HTTP 410");
        settled(engine.schedule("q", key, Duration.ZERO, payload));
        threads.runUntilIdle();
        receiver = (attempt, delivery) -> delivery.acknowledge();
        assertThat(find(key).state()).isEqualTo(TimerState.DEAD);
    }

    @Test
    void rescheduledTimerIsDeliveredAtItsNewTime() {
        settled(engine.schedule("q", "a", HOUR));
        changed(engine.reschedule("q", "a", HOUR.multipliedBy(2)));
        threads.advance(HOUR.multipliedBy(2).minusMillis(1));
        assertThat(find("a").state()).isEqualTo(TimerState.PENDING);
        threads.advance(Duration.ofMillis(1));
        assertThat(find("a").state()).isEqualTo(TimerState.COMPLETED);
        settled(engine.schedule("q", "b", HOUR));
        changed(engine.reschedule("q", "b", clock.now().plusSeconds(1)));
        threads.advance(Duration.ofSeconds(1));
        assertThat(find("b").state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void timerIsRunNow() {
        settled(engine.schedule("q", "a", HOUR));
        changed(engine.runNow("q", "a"));
        threads.runUntilIdle();
        TimerView done = find("a");
        assertThat(done.state()).isEqualTo(TimerState.COMPLETED);
        assertThat(done.history()).containsExactly(new PastAttempt(1, NOW.toEpochMilli(), 0, 0, 0, ""));
    }

    @Test
    void changeOfAnotherTimerIsRefused() {
        String id = settled(engine.schedule("q", "a", HOUR)).timer().id();
        Scheduled second = settled(engine.schedule("q", "a", HOUR));
        CommandOptions meant = CommandOptions.NONE.withExpectedId(id);
        for (CompletableFuture<?> answer : List.of(
                engine.cancel("q", "a", meant),
                engine.runNow("q", "a", meant),
                engine.reschedule("q", "a", clock.now(), meant),
                engine.redrive("q", "a", meant),
                engine.purge("q", "a", meant),
                engine.schedule(TimerRequest.after("q", "a", HOUR).withExpectedId(id)))) {
            threads.runUntilIdle();
            assertThatThrownBy(() -> Tickwheel.await(answer))
                    .isInstanceOfSatisfying(
                            IdMismatchException.class,
                            e -> assertThat(e.timer()).isEqualTo(second.timer()))
                    .hasMessage("the timer a of queue q has the id tmr_2, must have tmr_1");
        }
        assertThat(find("a")).isEqualTo(second.timer());
        changed(engine.runNow(
                "q", "a", CommandOptions.NONE.withExpectedId(second.timer().id())));
    }

    @Test
    void badTimesAreRefusedByName() {
        assertThatThrownBy(() -> engine.reschedule("q", "a", Duration.ofSeconds(-1)))
                .hasMessage("delay is PT-1S, must not be negative");
        assertThatThrownBy(() -> engine.reschedule("q", "a", Instant.MAX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("due time is +1000000000");
        assertThatThrownBy(() -> engine.reschedule("", "a", HOUR)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void redrivenTimerStartsAnew() {
        dead("a", new byte[] {7});
        String id = find("a").id();
        List<Attempt> seen = new ArrayList<>();
        receiver = (attempt, delivery) -> {
            seen.add(attempt);
            delivery.acknowledge();
        };
        Changed again = changed(engine.redrive("q", "a"));
        assertThat(again.timer()).satisfies(timer -> assertThat(timer.id()).isEqualTo(id));
        threads.runUntilIdle();
        assertThat(seen).singleElement().satisfies(attempt -> {
            assertThat(attempt.number()).isEqualTo(1);
            assertThat(attempt.payload()).containsExactly(7);
        });
        assertThat(find("a").history()).extracting(PastAttempt::reason).containsExactly("HTTP 410", "");
    }

    @Test
    void redrivenTimerCanBeEdited() {
        dead("a", new byte[] {7});
        TimerDetails stored = settled(engine.read("q", "a")).orElseThrow();
        List<String> seen = new ArrayList<>();
        receiver = (attempt, delivery) -> {
            seen.add(attempt.text() + attempt.headers());
            delivery.acknowledge();
        };
        TimerRequest edit =
                TimerRequest.after("q", "a", HOUR).withContentOf(stored).withText("other");
        changed(engine.redrive(stored, edit));
        threads.advance(HOUR);
        assertThat(seen).containsExactly("other{}");
        assertThatThrownBy(() -> engine.redrive(stored, TimerRequest.after("q", "b", HOUR)))
                .hasMessageContaining("must be of");
    }

    /** In the same millisecond: each edit is of what was seen, and none of two is lost. */
    @Test
    void editOfATimerThatHasLivedAndDiedSinceIsRefused() {
        dead("a", new byte[] {7});
        TimerDetails seen = settled(engine.read("q", "a")).orElseThrow();
        receiver = (attempt, delivery) -> delivery.reject("HTTP 404");
        TimerRequest now = TimerRequest.after("q", "a", Duration.ZERO);
        changed(engine.redrive(seen, now.withText("first")));
        threads.advance(Duration.ofMillis(1));
        assertThat(find("a").state()).isEqualTo(TimerState.DEAD);
        CompletableFuture<Changed> second = engine.redrive(seen, now.withText("second"));
        threads.runUntilIdle();
        assertThatThrownBy(() -> Tickwheel.await(second))
                .isInstanceOf(IdMismatchException.class)
                .hasMessage("the timer a of queue q has changed since it was looked at, must be as it was then");
        assertThat(new String(
                        settled(engine.read("q", "a")).orElseThrow().content().payload(), StandardCharsets.UTF_8))
                .isEqualTo("first");
    }

    @Test
    void purgedTimerIsGone() {
        dead("a", new byte[0]);
        changed(engine.purge("q", "a"));
        assertThat(settled(engine.find("q", "a"))).isEmpty();
        assertThat(settled(engine.purge("q", "a")).outcome()).isEqualTo(Changed.Outcome.NOT_FOUND);
    }

    // ---- history

    @Test
    void attemptsAreRememberedAsTheyWere() {
        receiver = (attempt, delivery) -> {
            clock.advance(Duration.ofMillis(250));
            delivery.answered(503);
            delivery.fail("HTTP 503");
        };
        settled(engine.schedule("q", "a", Duration.ZERO));
        threads.runUntilIdle();
        long start = NOW.toEpochMilli();
        PastAttempt first = new PastAttempt(1, start, 0, 250, 503, "HTTP 503");
        assertThat(find("a").history()).containsExactly(first);
        threads.stall(Duration.ofSeconds(12));
        PastAttempt second = new PastAttempt(2, start + 12_250, 2_000, 250, 503, "HTTP 503");
        assertThat(find("a").history()).containsExactly(first, second);
        assertThat(ended).containsExactly(first, second);
    }

    @Test
    void reasonThatIsNoneIsNoSuccess() {
        receiver = (attempt, delivery) -> delivery.fail("");
        settled(engine.schedule("q", "a", Duration.ZERO));
        threads.runUntilIdle();
        assertThat(find("a").history()).extracting(PastAttempt::reason).containsExactly("no reason given");
    }

    @Test
    void longReasonIsCut() {
        receiver = (attempt, delivery) -> delivery.reject("\uD83D\uDE00é".repeat(100));
        settled(engine.schedule("q", "a", Duration.ZERO));
        threads.runUntilIdle();
        String reason = find("a").history().get(0).reason();
        assertThat(reason)
                .startsWith("\uD83D\uDE00é\uD83D\uDE00é")
                .endsWith("...")
                .doesNotContain("?");
        assertThat(reason.getBytes(StandardCharsets.UTF_8).length).isBetween(194, 200);
    }

    @Test
    void statusThatIsNoneIsRefused() {
        List<Throwable> thrown = new ArrayList<>();
        receiver = (attempt, delivery) -> {
            for (int status : new int[] {-1, 65_536}) {
                try {
                    delivery.answered(status);
                } catch (IllegalArgumentException e) {
                    thrown.add(e);
                }
            }
            delivery.acknowledge();
        };
        settled(engine.schedule("q", "a", Duration.ZERO));
        threads.runUntilIdle();
        assertThat(thrown)
                .extracting(Throwable::getMessage)
                .containsExactly("status is -1, must be 0 to 65535", "status is 65536, must be 0 to 65535");
    }

    // ---- typed payloads

    @Test
    void payloadsHaveATypeWhereOneIsNamed() {
        List<String> seen = new ArrayList<>();
        engine.handle("texts", PayloadCodec.TEXT, (attempt, text) -> seen.add(attempt.key() + " " + text));
        settled(engine.schedule(TimerRequest.atLevel("texts", "a", 1).withPayload("grüße", PayloadCodec.TEXT)));
        threads.advance(Duration.ofSeconds(1));
        assertThat(seen).containsExactly("a grüße");
        assertThat(settled(engine.find("texts", "a")))
                .get()
                .extracting(TimerView::state)
                .isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void payloadThatCannotBeReadIsDeadAtOnce() {
        PayloadCodec<String> broken = PayloadCodec.of(
                "a/b",
                text -> {
                    throw new IOException("full");
                },
                payload -> {
                    throw new IOException("not mine");
                });
        engine.handle("texts", broken, (attempt, text) -> {});
        settled(engine.schedule("texts", "a", Duration.ZERO));
        threads.runUntilIdle();
        TimerView dead = settled(engine.find("texts", "a")).orElseThrow();
        assertThat(dead.state()).isEqualTo(TimerState.DEAD);
        assertThat(dead.history())
                .extracting(PastAttempt::reason)
                .containsExactly("the payload cannot be read: java.io.IOException: not mine");
        TimerRequest request = TimerRequest.after("texts", "b", HOUR);
        assertThatThrownBy(() -> request.withPayload("x", broken))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the payload cannot be written: full");
    }
}
