package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Timeouts that come while the lock of their stripe is taken. A test that fails may hang, until its time is over. */
@org.junit.jupiter.api.Timeout(60)
@Tag("races")
final class InboxTest {
    private final StrictTime time = new StrictTime(0);
    private final WheelTimer timer =
            WheelTimer.builder().stripes(1).clock(time).driver(time).build();
    private final List<String> ran = new ArrayList<>();

    @Test
    void scheduleDoesNotWaitAndKeepsTheOrder() {
        schedule("first", 5);
        whileTaken(() -> {
            schedule("second", 5);
            schedule("soonest", 3);
            schedule("third", 5);
        });
        schedule("fourth", 5);
        assertThat(timer.pending()).isEqualTo(5);
        time.advance(MILLISECONDS.toNanos(2));
        assertThat(ran).isEmpty();
        time.advance(MILLISECONDS.toNanos(1));
        assertThat(ran).containsExactly("soonest");
        time.advance(MILLISECONDS.toNanos(2));
        assertThat(ran).containsExactly("soonest", "first", "second", "third", "fourth");
        assertThat(timer.pending()).isZero();
    }

    @Test
    void sleepingExpiryIsWokenForTheEarlierOnly() {
        schedule("late", 100);
        time.advance(MILLISECONDS.toNanos(1));
        long calls = time.calls();
        whileTaken(() -> schedule("later", 200));
        assertThat(time.isDue()).isFalse();
        whileTaken(() -> schedule("soon", 10));
        assertThat(time.isDue()).isTrue();
        time.advance(MILLISECONDS.toNanos(10));
        assertThat(ran).containsExactly("soon");
        assertThat(time.calls()).isGreaterThan(calls);
        time.advance(MILLISECONDS.toNanos(190));
        assertThat(ran).containsExactly("soon", "late", "later");
    }

    @Test
    void whoeverPutsItIntoTheWheelKeepsItsTick() {
        schedule("late", 100);
        time.advance(MILLISECONDS.toNanos(1));
        whileTaken(() -> schedule("soon", 10));
        // Takes it out of the inbox before the expiry, which was woken, has looked.
        assertThat(timer.pending()).isEqualTo(2);
        time.advance(MILLISECONDS.toNanos(10));
        assertThat(ran).containsExactly("soon");
    }

    @Test
    void cancelAndRescheduleFindIt() {
        Timeout[] timeouts = new Timeout[3];
        whileTaken(() -> {
            for (int i = 0; i < timeouts.length; i++) {
                timeouts[i] = schedule("timeout " + i, 5);
                assertThat(timeouts[i].state()).isEqualTo(Timeout.State.PENDING);
            }
        });
        assertThat(timeouts[0].cancel()).isTrue();
        assertThat(timeouts[0].cancel()).isFalse();
        assertThat(timeouts[1].reschedule(Duration.ofMillis(9))).isTrue();
        assertThat(timeouts[2].remaining()).isEqualTo(Duration.ofMillis(5));
        time.advance(MILLISECONDS.toNanos(5));
        assertThat(ran).containsExactly("timeout 2");
        time.advance(MILLISECONDS.toNanos(4));
        assertThat(ran).containsExactly("timeout 2", "timeout 1");
        assertThat(timer.metrics().scheduled()).isEqualTo(3);
        assertThat(timer.metrics().cancelled()).isEqualTo(1);
    }

    @Test
    void shutdownFindsItAndRefusesWhatComesLater() {
        whileTaken(() -> schedule("runs", 5));
        timer.shutdown();
        assertThatThrownBy(() -> schedule("too late", 5)).isInstanceOf(RejectedExecutionException.class);
        assertThat(timer.isTerminated()).isFalse();
        time.advance(MILLISECONDS.toNanos(5));
        assertThat(ran).containsExactly("runs");
        assertThat(timer.isTerminated()).isTrue();
    }

    @Test
    void shutdownNowReturnsIt() {
        whileTaken(() -> schedule("does not run", 5));
        assertThat(timer.shutdownNow()).hasSize(1);
        assertThat(timer.isTerminated()).isTrue();
        time.advance(MILLISECONDS.toNanos(5));
        assertThat(ran).isEmpty();
    }

    /** A schedule may have looked whether the timer is closed just before that, and finds the lock taken. */
    @Test
    void inboxThatWasShutTakesNothing() {
        Inbox inbox = new Inbox();
        WheelNode late = new OneShot(timer.stripe(), () -> ran.add("late"));
        assertThat(inbox.offer(late, 5)).isTrue();
        assertThat(inbox.shut()).isFalse();
        assertThat(inbox.take(late)).isSameAs(late);
        assertThat(inbox.shut()).isTrue();
        assertThat(inbox.offer(late, 5)).isFalse();
        assertThat(inbox.last()).isNull();
        assertThat(inbox.shut()).isTrue();
    }

    /** Of a new node whose owner cancels it before it comes, the place is left to whoever wanted to schedule it. */
    @Test
    void oneThatWasCancelledBeforeItCameIsNotTaken() {
        WheelTimer limited = WheelTimer.builder()
                .stripes(1)
                .clock(time)
                .driver(time)
                .maxPending(1)
                .build();
        Stripe stripe = limited.stripe();
        limited.schedule(() -> ran.add("starts the timer"), Duration.ZERO).cancel();
        OneShot node = new OneShot(stripe, () -> ran.add("cancelled"));
        limited.admit();
        assertThat(node.cancel()).isTrue();
        boolean taken = stripe.guarded(() -> stripe.scheduleNew(node, 5, 0));
        assertThat(taken).isFalse();
        assertThat(limited.pending()).isZero();
        limited.dismiss();
        limited.schedule(() -> ran.add("runs"), Duration.ofMillis(5));
        time.advance(MILLISECONDS.toNanos(5));
        assertThat(ran).containsExactly("runs");
    }

    private Timeout schedule(String name, int millis) {
        return timer.schedule(() -> ran.add(name), Duration.ofMillis(millis));
    }

    private void whileTaken(Runnable action) {
        timer.stripe().guarded(() -> {
            action.run();
            return true;
        });
    }
}
