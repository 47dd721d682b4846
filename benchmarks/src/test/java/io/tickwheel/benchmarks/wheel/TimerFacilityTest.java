package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the programs rely on, for every facility with a thread. */
class TimerFacilityTest {

    static List<WheelContender> contenders() {
        return WheelContender.ALL.stream()
                .filter(contender -> !contender.isDriven() && !contender.name().equals(WheelContender.FLOOR))
                .filter(contender -> contender.firstJdk() <= Runtime.version().feature())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void runsASharedTaskForEachTimerThatIsNotCancelled(WheelContender contender) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(3);
        try (TimerFacility facility = contender.start()) {
            Object cancelled = facility.schedule(ran::countDown, HOURS.toNanos(1));
            Runnable shared = ran::countDown;
            for (int i = 0; i < 3; i++) {
                facility.schedule(shared, MILLISECONDS.toNanos(i));
            }
            facility.cancel(cancelled);
            assertThat(ran.await(30, SECONDS)).isTrue();
        }
    }
}
