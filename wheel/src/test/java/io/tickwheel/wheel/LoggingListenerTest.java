package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a timer without a listener of its own writes into the log, and what goes there whoever listens: with the name of the timer. */
final class LoggingListenerTest {
    private static final Duration SOON = Duration.ofMillis(10);

    private final Logger log = Logger.getLogger(WheelTimer.class.getName());
    private final List<LogRecord> lines = new ArrayList<>();
    private final ManualTime time = new ManualTime();
    private final IllegalStateException thrown = new IllegalStateException("thrown on purpose");

    @BeforeEach
    void takeTheLines() {
        Filter taken = line -> {
            lines.add(line);
            return false;
        };
        log.setFilter(taken);
    }

    @AfterEach
    void leaveTheLines() {
        log.setFilter(null);
    }

    private WheelTimerBuilder builder() {
        return time.timerBuilder().name("orders");
    }

    private void fail() {
        throw thrown;
    }

    /** Expects one line, of the error, which says this. */
    private void expect(Throwable error, String message) {
        assertThat(lines).singleElement().satisfies(line -> {
            assertThat(line.getMessage()).isEqualTo(message);
            assertThat(line.getThrown()).isSameAs(error);
        });
    }

    @Test
    void aTaskThatThrows() {
        WheelTimer timer = builder().build();
        timer.schedule(this::fail, SOON);
        time.advance(SOON);
        expect(thrown, "A task of orders has thrown");
        assertThat(timer.metrics().failed()).isEqualTo(1);
    }

    @Test
    void aTaskOfAKeyThatThrows() {
        WheelTimer timer = builder().build();
        new KeyedTimer<String>(timer).schedule("42", this::fail, SOON);
        time.advance(SOON);
        expect(thrown, "A task of orders has thrown");
        assertThat(timer.metrics().failed()).isEqualTo(1);
    }

    @Test
    void aTaskThatTheExecutorRefuses() {
        RejectedExecutionException refusal = new RejectedExecutionException("thrown on purpose");
        WheelTimer timer = builder()
                .executor(task -> {
                    throw refusal;
                })
                .build();
        timer.schedule(() -> {}, SOON);
        time.advance(SOON);
        expect(refusal, "The executor has refused a task of orders, it has not run");
    }

    @Test
    void aListenerThatThrows() {
        IllegalStateException ofTheListener = new IllegalStateException("thrown on purpose by the listener");
        WheelTimer timer = builder()
                .listener(new WheelTimerListener() {
                    @Override
                    public void taskFailed(Timeout timeout, Throwable failure) {
                        throw ofTheListener;
                    }

                    @Override
                    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {}
                })
                .build();
        timer.schedule(this::fail, SOON);
        time.advance(SOON);
        expect(ofTheListener, "The listener of orders has thrown");
    }

    @Test
    void aTimerThatFails() {
        boolean[] broken = {false};
        WheelTimer timer = builder()
                .clock(() -> {
                    if (broken[0]) {
                        throw thrown;
                    }
                    return time.nanoTime();
                })
                .build();
        timer.schedule(() -> {}, SOON).cancel();
        broken[0] = true;
        time.expireOnce();
        expect(thrown, "orders has failed and is closed");
    }
}
