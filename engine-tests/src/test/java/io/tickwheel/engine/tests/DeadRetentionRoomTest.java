package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerStore;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Dead timers that are too many are purged when the calendar can take commands, and nothing is asked of it while it cannot. */
class DeadRetentionRoomTest {

    /** When the first look is, with the random number 0. */
    private static final Duration FIRST_LOOK = Duration.ofMinutes(1);

    /** More than are made from the look to the end of the purge. */
    private static final int STEPS = 60;

    private static final int MANY_STEPS = 1_000;

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final Store store = new Store();
    private final Tickwheel engine = Tickwheel.builder(store)
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .retry(RetryPolicy.fixed(1, Duration.ofSeconds(1)))
            .deadTimers(Duration.ofDays(30), 1)
            .queueDestination("q", new Destination("t", ""))
            .target("t", (attempt, delivery) -> delivery.fail("no"))
            .open();

    /** Has room when the test says so, and counts what is asked meanwhile. */
    private static final class Store implements TimerStore {

        private final MemoryTimerStore timers = new MemoryTimerStore();
        private boolean isFull;
        private int askedWhileFull;
        private @Nullable StoreContext context;

        @Override
        public Calendar open(StoreContext given, CalendarListener listener) {
            context = given;
            Calendar calendar = timers.open(given, listener);
            return (Calendar) Proxy.newProxyInstance(
                    Store.class.getClassLoader(), new Class<?>[] {Calendar.class}, (proxy, method, arguments) -> {
                        String name = method.getName();
                        if (name.equals("hasRoom") && isFull) {
                            return false;
                        }
                        if (isFull && (name.equals("queues") || name.equals("list") || name.equals("purge"))) {
                            askedWhileFull++;
                        }
                        try {
                            return method.invoke(calendar, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        void hasRoomAgain() {
            isFull = false;
            if (context != null) {
                context.waker().run();
            }
        }
    }

    private void die(int timers) {
        for (int i = 0; i < timers; i++) {
            var unused = engine.schedule("q", "k" + i, Duration.ZERO);
        }
        threads.runUntilIdle();
    }

    /** Has all that can be done be done, which has an end. */
    private void idle() {
        int steps = 0;
        while (threads.step()) {
            steps++;
            assertThat(steps).as("steps without rest").isLessThan(MANY_STEPS);
        }
    }

    private long dead() {
        var counts = engine.queues();
        threads.runUntilIdle();
        return counts.join().get(0).dead();
    }

    private void purgedAlthoughFullAfter(int steps) {
        die(3);
        assertThat(dead()).isEqualTo(3);
        clock.advance(FIRST_LOOK);
        for (int i = 0; i < steps; i++) {
            threads.step();
        }
        store.isFull = true;
        idle();
        clock.advance(Duration.ofSeconds(10));
        idle();
        assertThat(store.askedWhileFull).as("full after %s steps", steps).isZero();
        store.hasRoomAgain();
        threads.advance(Duration.ofSeconds(10));
        assertThat(dead()).as("full after %s steps", steps).isEqualTo(1);
    }

    @Test
    void nothingIsAskedWhileTheCalendarHasNoRoom() {
        for (int steps = 0; steps < STEPS; steps++) {
            new DeadRetentionRoomTest().purgedAlthoughFullAfter(steps);
        }
    }
}
