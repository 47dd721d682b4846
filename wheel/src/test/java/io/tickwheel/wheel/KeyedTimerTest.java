package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("races")
final class KeyedTimerTest {
    private final ManualTime time = new ManualTime();
    private final WheelTimer timer = time.timerBuilder().build();
    private final KeyedTimer<String> orders = new KeyedTimer<>(timer);
    private final List<String> ran = new ArrayList<>();

    private Timeout schedule(String key, String name, long millis) {
        return orders.schedule(key, () -> ran.add(name), Duration.ofMillis(millis));
    }

    private void expectAfter(long millis, String... names) {
        ran.clear();
        time.advanceMillis(millis);
        assertThat(ran).containsExactly(names);
    }

    @Test
    void keyIsForgottenWhenItsTaskStarts() {
        orders.schedule("42", () -> ran.add("keys left " + orders.size()), Duration.ofMillis(10));
        assertThat(orders.get("42")).isPresent();
        expectAfter(10, "keys left 0");
        assertThat(orders.get("42")).isEmpty();
        assertThat(orders.cancel("42")).isFalse();
        assertThat(orders.touch("42")).isFalse();
    }

    @Test
    void newTimeoutReplacesTheOldOne() {
        Timeout first = schedule("42", "first", 10);
        Timeout second = schedule("42", "second", 20);
        assertThat(first.state()).isEqualTo(Timeout.State.CANCELLED);
        assertThat(orders.get("42")).contains(second);
        assertThat(orders.size()).isEqualTo(1);
        assertThat(timer.pending()).isEqualTo(1);
        expectAfter(19);
        expectAfter(1, "second");
        assertThat(orders.size()).isZero();
    }

    @Test
    void replacedTimeoutThatIsCancelledLateDoesNotTakeTheNewOneAlong() {
        Timeout first = schedule("42", "first", 10);
        schedule("42", "second", 20);
        assertThat(first.cancel()).isFalse();
        expectAfter(20, "second");
    }

    @Test
    void timeoutThatWaitsForAThreadIsReplacedToo() {
        Queue<Runnable> queued = new ArrayDeque<>();
        KeyedTimer<String> keyed =
                new KeyedTimer<>(time.timerBuilder().executor(queued::add).build());
        keyed.schedule("42", () -> ran.add("first"), Duration.ofMillis(10));
        time.advanceMillis(10);
        assertThat(keyed.get("42")).isPresent();
        keyed.schedule("42", () -> ran.add("second"), Duration.ofMillis(10));
        time.advanceMillis(10);
        queued.forEach(Runnable::run);
        assertThat(ran).containsExactly("second");
        assertThat(keyed.size()).isZero();
    }

    @Test
    void presentTimeoutIsKeptWhereThatIsAskedFor() {
        Timeout first = schedule("42", "first", 10);
        assertThat(orders.scheduleIfAbsent("42", () -> ran.add("second"), Duration.ofMillis(5)))
                .isSameAs(first);
        assertThat(timer.pending()).isEqualTo(1);
        expectAfter(20, "first");
        orders.scheduleIfAbsent("42", () -> ran.add("third"), Duration.ofMillis(5));
        expectAfter(5, "third");
    }

    @Test
    void keysAreCancelledOneByOneAndAllTogether() {
        schedule("a", "a", 10);
        schedule("b", "b", 10);
        schedule("c", "c", 10);
        assertThat(orders.cancel("b")).isTrue();
        assertThat(orders.cancel("b")).isFalse();
        assertThat(orders.size()).isEqualTo(2);
        List<String> keys = new ArrayList<>();
        orders.forEach((key, timeout) -> keys.add(key + " " + timeout.state()));
        assertThat(keys).containsExactlyInAnyOrder("a PENDING", "c PENDING");
        orders.cancelAll();
        assertThat(orders.size()).isZero();
        assertThat(timer.pending()).isZero();
        expectAfter(60);
    }

    @Test
    void handleThatIsCancelledTakesTheKeyAlong() {
        assertThat(schedule("42", "first", 10).cancel()).isTrue();
        assertThat(orders.size()).isZero();
    }

    @Test
    void touchBeginsTheDelayAnew() {
        schedule("session", "expired", 100);
        for (int i = 0; i < 20; i++) {
            expectAfter(99);
            assertThat(orders.touch("session")).isTrue();
        }
        expectAfter(99);
        expectAfter(1, "expired");
        assertThat(orders.touch("session")).isFalse();
        assertThat(orders.size()).isZero();
    }

    @Test
    void taskSchedulesItsOwnKeyAgain() {
        orders.schedule(
                "42",
                () -> {
                    ran.add("first");
                    schedule("42", "second", 10);
                },
                Duration.ofMillis(10));
        expectAfter(10, "first");
        assertThat(orders.size()).isEqualTo(1);
        expectAfter(10, "second");
        assertThat(orders.size()).isZero();
    }

    @Test
    void taskThatThrowsOrIsRefusedLeavesNoKey() {
        orders.schedule(
                "42",
                () -> {
                    throw new IllegalStateException("meant to be logged");
                },
                Duration.ofMillis(10));
        time.advanceMillis(10);
        assertThat(orders.size()).isZero();
        KeyedTimer<String> refused = new KeyedTimer<>(time.timerBuilder()
                .executor(task -> {
                    throw new RejectedExecutionException("meant to be logged");
                })
                .build());
        Timeout timeout = refused.schedule("42", () -> ran.add("never"), Duration.ofMillis(10));
        time.advanceMillis(10);
        assertThat(timeout.state()).isEqualTo(Timeout.State.FAILED);
        assertThat(refused.size()).isZero();
    }

    @Test
    void closedTimerLeavesNoKeyAndTakesNone() {
        schedule("42", "first", 10);
        timer.close();
        assertThat(orders.size()).isZero();
        assertThatThrownBy(() -> schedule("43", "second", 10)).isInstanceOf(RejectedExecutionException.class);
        assertThat(orders.size()).isZero();
    }

    @Test
    void fullTimerRefusesANewKeyAndKeepsTheOldTimeouts() {
        WheelTimer small = time.timerBuilder().maxPending(2).build();
        KeyedTimer<String> keyed = new KeyedTimer<>(small);
        keyed.schedule("a", () -> ran.add("a"), Duration.ofMillis(10));
        keyed.schedule("a", () -> ran.add("a again"), Duration.ofMillis(10));
        keyed.schedule("b", () -> ran.add("b"), Duration.ofMillis(10));
        assertThatThrownBy(() -> keyed.schedule("d", () -> ran.add("too many"), Duration.ofMillis(10)))
                .isInstanceOf(RejectedExecutionException.class);
        keyed.cancel("b");
        keyed.scheduleIfAbsent("a", () -> ran.add("not needed"), Duration.ofMillis(10));
        keyed.schedule("c", () -> ran.add("c"), Duration.ofMillis(10));
        expectAfterOf(keyed, "a again", "c");
    }

    private void expectAfterOf(KeyedTimer<String> keyed, String... names) {
        time.advanceMillis(10);
        assertThat(ran).containsExactly(names);
        assertThat(keyed.size()).isZero();
    }

    @Test
    void keyIsNeverWithoutATimeoutWhileItIsReplaced() throws Exception {
        Duration hour = Duration.ofHours(1);
        orders.schedule("42", () -> ran.add("never"), hour);
        AtomicBoolean done = new AtomicBoolean();
        FutureTask<Long> replacing = new FutureTask<>(() -> {
            long replaced = 0;
            while (!done.get()) {
                orders.schedule("42", () -> ran.add("never"), hour);
                replaced++;
            }
            return replaced;
        });
        new Thread(replacing).start();
        int missed = 0;
        for (int i = 0; i < 300_000; i++) {
            if (!orders.touch("42") || orders.get("42").isEmpty()) {
                missed++;
            }
        }
        done.set(true);
        assertThat(replacing.get()).isPositive();
        assertThat(missed).isZero();
        assertThat(orders.size()).isEqualTo(1);
        assertThat(timer.pending()).isEqualTo(1);
        assertThat(orders.cancel("42")).isTrue();
        assertThat(orders.size()).isZero();
    }

    @Test
    void presentKeyNeedsNoPlaceAmongThePending() {
        KeyedTimer<String> keyed =
                new KeyedTimer<>(time.timerBuilder().maxPending(1).build());
        Timeout first = keyed.schedule("a", () -> ran.add("a"), Duration.ofMillis(10));
        assertThat(keyed.scheduleIfAbsent("a", () -> ran.add("not needed"), Duration.ofMillis(5)))
                .isSameAs(first);
    }

    /** The key is asked for its hash once where it is looked for, and once more where its timeout is made. */
    @Test
    void keyThatIsScheduledMeanwhileTakesNoSecondPlaceAmongThePending() {
        KeyedTimer<Object> keyed =
                new KeyedTimer<>(time.timerBuilder().maxPending(2).build());
        List<Timeout> meanwhile = new ArrayList<>();
        Object key = new Object() {
            private int asked;

            @Override
            public boolean equals(Object other) {
                return other == this || "42".equals(other);
            }

            @Override
            public int hashCode() {
                asked++;
                if (asked == 2) {
                    meanwhile.add(keyed.schedule("42", () -> ran.add("first"), Duration.ofMillis(10)));
                }
                return "42".hashCode();
            }
        };
        Timeout found = keyed.scheduleIfAbsent(key, () -> ran.add("not needed"), Duration.ofMillis(5));
        assertThat(meanwhile).containsExactly(found);
        keyed.schedule("43", () -> ran.add("second"), Duration.ofMillis(10));
        expectAfter(20, "first", "second");
    }

    @Test
    void slackOfTheTimerHoldsForKeysAndForNewDeadlines() {
        WheelTimer slow = time.timerBuilder().slack(Duration.ofMillis(200)).build();
        KeyedTimer<String> keyed = new KeyedTimer<>(slow);
        keyed.schedule("a", () -> ran.add("a"), Duration.ofSeconds(1));
        time.advanceMillis(1023);
        assertThat(ran).isEmpty();
        time.advanceMillis(1);
        assertThat(ran).containsExactly("a");
        Timeout timeout = slow.schedule(() -> ran.add("b"), Duration.ofMillis(10));
        timeout.reschedule(Duration.ofSeconds(1));
        assertThat(timeout.remaining()).isEqualTo(Duration.ofMillis(1024));
    }

    @Test
    void timeoutIsReplacedAtTheLimitToo() {
        WheelTimer full = time.timerBuilder().maxPending(2).build();
        KeyedTimer<String> keyed = new KeyedTimer<>(full);
        keyed.schedule("a", () -> ran.add("first"), Duration.ofMillis(10));
        Timeout other = keyed.schedule("b", () -> ran.add("b"), Duration.ofMillis(30));
        for (int i = 0; i < 5; i++) {
            keyed.schedule("a", () -> ran.add("again"), Duration.ofMillis(20));
            assertThat(full.pending()).isEqualTo(2);
        }
        assertThatThrownBy(() -> keyed.schedule("c", () -> {}, Duration.ofMillis(1)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("maxPending");
        assertThatThrownBy(() -> full.schedule(() -> {}, Duration.ofMillis(1)))
                .isInstanceOf(RejectedExecutionException.class);
        expectAfter(20, "again");
        keyed.schedule("c", () -> ran.add("c"), Duration.ofMillis(1));
        assertThat(other.cancel()).isTrue();
        expectAfter(1, "c");
        // As many places as at first: none was lost, and none made.
        keyed.schedule("d", () -> {}, Duration.ofMillis(1));
        keyed.schedule("e", () -> {}, Duration.ofMillis(1));
        assertThatThrownBy(() -> keyed.schedule("f", () -> {}, Duration.ofMillis(1)))
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void timeoutOfATimerThatWasClosedIsNotReplacedAtTheLimit() {
        WheelTimer full = time.timerBuilder().maxPending(1).build();
        KeyedTimer<String> keyed = new KeyedTimer<>(full);
        keyed.schedule("a", () -> ran.add("first"), Duration.ofMillis(10));
        full.shutdown();
        assertThatThrownBy(() -> keyed.schedule("a", () -> ran.add("second"), Duration.ofMillis(5)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("the timer is closed");
        expectAfter(10, "first");
    }

    @Test
    void timeoutThatHasExpiredLeavesNoPlaceToTheOneThatReplacesIt() {
        Queue<Runnable> queued = new ArrayDeque<>();
        WheelTimer full =
                time.timerBuilder().maxPending(1).executor(queued::add).build();
        KeyedTimer<String> keyed = new KeyedTimer<>(full);
        keyed.schedule("a", () -> ran.add("a"), Duration.ofMillis(10));
        time.advanceMillis(10);
        full.schedule(() -> {}, Duration.ofMillis(10));
        assertThatThrownBy(() -> keyed.schedule("a", () -> ran.add("second"), Duration.ofMillis(5)))
                .isInstanceOf(RejectedExecutionException.class);
        queued.forEach(Runnable::run);
        assertThat(ran).containsExactly("a");
    }
}
