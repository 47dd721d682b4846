package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A timer on a clock that is moved by hand, and what its tasks and its listener have noted. */
abstract class WheelTimerScene {

    static final Duration MINUTE = Duration.ofMinutes(1);

    final ManualTime time = new ManualTime();
    final List<String> ran = new ArrayList<>();
    final List<String> told = new ArrayList<>();

    WheelTimerBuilder builder() {
        return time.timerBuilder().listener(new WheelTimerListener() {
            @Override
            public void taskFailed(Timeout timeout, Throwable thrown) {
                told.add("failed: " + thrown.getMessage());
            }

            @Override
            public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
                told.add("rejected: " + cause.getMessage());
            }
        });
    }

    Runnable task(String name) {
        return () -> ran.add(name);
    }

    Runnable throwing(String message) {
        return () -> {
            ran.add(message);
            throw new IllegalStateException(message);
        };
    }

    static Duration ms(long millis) {
        return Duration.ofMillis(millis);
    }

    void expectAfter(Duration step, String... names) {
        ran.clear();
        time.advance(step);
        assertThat(ran).containsExactly(names);
    }
}
