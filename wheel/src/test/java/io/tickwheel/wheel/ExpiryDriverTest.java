package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A driver that calls the expiry when it must, and not once more. */
@Tag("races")
class ExpiryDriverTest {
    private static final long MS = 1_000_000;

    private final StrictTime time = new StrictTime(123);
    private final StrictTime raceTime = new StrictTime(0);
    private final WheelTimer timer =
            WheelTimer.builder().clock(time).driver(time).build();
    private final List<String> ran = new ArrayList<>();

    @Test
    void firstTimeoutWakesTheDriver() {
        schedule("a", 5);
        assertThat(time.isWoken()).isTrue();
        time.advance(5 * MS - 1);
        assertThat(ran).isEmpty();
        time.advance(1);
        assertThat(ran).containsExactly("a");
    }

    @Test
    void onlyAnEarlierDeadlineWakesTheDriver() {
        schedule("a", 50);
        time.expireIfDue();
        schedule("b", 50);
        schedule("c", 60);
        Timeout cancelled = schedule("d", 70);
        cancelled.cancel();
        assertThat(time.isWoken()).isFalse();
        schedule("e", 49);
        assertThat(time.isWoken()).isTrue();
        time.advance(60 * MS);
        assertThat(ran).containsExactly("e", "a", "b", "c");
        // The first call, the one for e, and the three ticks with something due.
        assertThat(time.calls()).isEqualTo(5);
    }

    @Test
    void driverThatCouldNotBeWokenIsWokenForTheNextTimeout() {
        IllegalStateException refusal = new IllegalStateException("no wake-up");
        boolean[] refuses = {false};
        WheelTimer refused = WheelTimer.builder()
                .clock(time)
                .driver(new ExpiryDriver() {
                    @Override
                    public void start(Expiry expiry) {
                        time.start(expiry);
                    }

                    @Override
                    public void wake(Expiry expiry) {
                        if (refuses[0]) {
                            throw refusal;
                        }
                        time.wake(expiry);
                    }
                })
                .build();
        refused.schedule(() -> ran.add("a"), Duration.ofMillis(50));
        time.expireIfDue();
        refuses[0] = true;
        assertThatThrownBy(() -> refused.schedule(() -> {}, Duration.ofMillis(20)))
                .isSameAs(refusal);
        refuses[0] = false;
        refused.schedule(() -> ran.add("b"), Duration.ofMillis(10));
        assertThat(time.isWoken()).isTrue();
        time.advance(10 * MS);
        assertThat(ran).containsExactly("b");
    }

    /** The timeout that has made the crowd is there, so its caller is told nothing. */
    @Test
    void driverThatCouldNotBeWokenForACrowdIsWokenForTheNextTimeout() {
        int[] refusals = {0};
        boolean[] refuses = {false};
        WheelTimer refused = WheelTimer.builder()
                .stripes(1)
                .clock(time)
                .driver(new ExpiryDriver() {
                    @Override
                    public void start(Expiry expiry) {
                        time.start(expiry);
                    }

                    @Override
                    public void wake(Expiry expiry) {
                        if (refuses[0]) {
                            refusals[0]++;
                            throw new OutOfMemoryError("no wake-up");
                        }
                        time.wake(expiry);
                    }
                })
                .build();
        refused.schedule(() -> {}, Duration.ofSeconds(10));
        time.expireIfDue();
        refuses[0] = true;
        while (refusals[0] == 0) {
            refused.schedule(() -> {}, Duration.ofSeconds(10));
        }
        refuses[0] = false;
        assertThat(time.isWoken()).isFalse();
        refused.schedule(() -> {}, Duration.ofSeconds(20));
        assertThat(time.isWoken()).isTrue();
    }

    @Test
    void driverIsNotCalledAgainOnceTheTimerIsTerminated() {
        schedule("a", 5);
        time.advance(5 * MS);
        timer.close();
        long calls = time.calls();
        time.advance(1_000 * MS);
        assertThat(time.calls()).isEqualTo(calls);
        assertThat(timer.isTerminated()).isTrue();
    }

    @Test
    void eachWakeUpForNothingIsCounted() {
        schedule("a", 5);
        time.advance(5 * MS);
        assertThat(ran).containsExactly("a");
        long before = timer.metrics().spuriousWakeUps();
        schedule("b", 50);
        time.expireIfDue();
        assertThat(timer.metrics().spuriousWakeUps()).isEqualTo(before + 1);
        schedule("c", 20);
        time.expireIfDue();
        assertThat(timer.metrics().spuriousWakeUps()).isEqualTo(before + 2);
        time.advance(20 * MS);
        assertThat(ran).containsExactly("a", "c");
        assertThat(timer.metrics().spuriousWakeUps()).isEqualTo(before + 2);
    }

    @Test
    void timeoutOfTheLastTickOfAllNeverExpires() {
        WheelTimer finest = WheelTimer.builder()
                .tick(Duration.ofNanos(1))
                .clock(raceTime)
                .driver(raceTime)
                .build();
        finest.schedule(() -> ran.add("last but one"), Duration.ofNanos(Long.MAX_VALUE - 1));
        finest.schedule(() -> ran.add("never"), Duration.ofNanos(Long.MAX_VALUE));
        raceTime.pass(Long.MAX_VALUE);
        raceTime.expire();
        assertThat(ran).containsExactly("last but one");
    }

    @Test
    void clockThatStepsBackMakesTimeoutsLateAndNeverEarly() {
        schedule("a", 100);
        time.advance(100 * MS);
        assertThat(ran).containsExactly("a");

        time.pass(-50 * MS);
        schedule("b", 10);
        schedule("c", 49);
        time.advance(10 * MS);
        assertThat(ran).as("c is not due").doesNotContain("c");
        time.advance(40 * MS);
        assertThat(ran).containsExactly("a", "b", "c");
    }

    /** With many stripes the look at all of them takes long, and a timeout can come in behind its back. */
    @Test
    void timeoutThatComesWhileTheExpiryGoesToSleepWakesIt() {
        WheelTimer striped = WheelTimer.builder()
                .clock(raceTime)
                .driver(raceTime)
                .stripes(64)
                .build();
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger round = new AtomicInteger();
        striped.schedule(() -> {}, Duration.ofDays(1));
        try (Race race = new Race(
                3,
                raceTime::expire,
                () -> scheduleInTurn(striped, runs, round, 0),
                () -> scheduleInTurn(striped, runs, round, 1))) {
            while (round.incrementAndGet() <= 20_000) {
                race.run();
                raceTime.expireIfDue();
                assertThat(runs).hasValue(round.get());
            }
        }
    }

    /** The wake-up that it gets then may be spent on something else before the driver sleeps. */
    @Test
    void timeoutThatComesOnceTheExpiryIsToldToSleepKeepsItAwake() {
        long[] readsLeft = {Long.MAX_VALUE};
        ExpiryDriver.Expiry[] expiry = new ExpiryDriver.Expiry[1];
        WheelTimer[] made = new WheelTimer[1];
        made[0] = WheelTimer.builder()
                .clock(() -> {
                    if (--readsLeft[0] == 0) {
                        made[0].schedule(() -> ran.add("a"), Duration.ZERO);
                    }
                    return 0;
                })
                .driver(new ExpiryDriver() {
                    @Override
                    public void start(Expiry started) {
                        expiry[0] = started;
                    }

                    @Override
                    public void wake(Expiry woken) {}
                })
                .build();
        made[0].schedule(() -> {}, Duration.ofDays(1));
        assertThat(expiry[0].expireDue()).isGreaterThan(MS);
        // The first read is for what is due, the second for how long to sleep.
        readsLeft[0] = 2;
        assertThat(expiry[0].expireDue()).isZero();
        assertThat(ran).isEmpty();
        expiry[0].expireDue();
        assertThat(ran).containsExactly("a");
    }

    /** Two threads of different stripes, but one at a time: the other would do the waking. */
    private static void scheduleInTurn(WheelTimer timer, AtomicInteger runs, AtomicInteger round, int turn) {
        if (round.get() % 2 == turn) {
            timer.schedule(runs::incrementAndGet, Duration.ZERO);
        }
    }

    private Timeout schedule(String name, int delayMs) {
        return timer.schedule(() -> ran.add(name), Duration.ofMillis(delayMs));
    }

    @Test
    void crowdIsMetAheadOfItsTimeAndAFewTimeoutsAreNot() {
        for (int count : new int[] {10, 1_000}) {
            StrictTime time = new StrictTime(0);
            WheelTimer timer =
                    WheelTimer.builder().stripes(1).clock(time).driver(time).build();
            int[] ran = new int[1];
            timer.schedule(() -> ran[0]++, Duration.ofSeconds(10));
            // Asleep until the deadline, of which the others know nothing earlier.
            time.advance(0);
            for (int i = 1; i < count; i++) {
                timer.schedule(() -> ran[0]++, Duration.ofSeconds(10));
            }
            long calls = time.calls();
            time.advance(Duration.ofMillis(9_999).toNanos());
            assertThat(time.calls() > calls).as("called for %s", count).isEqualTo(count == 1_000);
            assertThat(ran[0]).isZero();
            time.advance(Duration.ofMillis(1).toNanos());
            assertThat(ran[0]).isEqualTo(count);
        }
    }
}
