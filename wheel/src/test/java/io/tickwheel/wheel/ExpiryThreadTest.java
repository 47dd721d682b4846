package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the thread of a timer sleeps. */
@Timeout(20)
@Tag("races")
final class ExpiryThreadTest {

    private final List<Thread> threads = new ArrayList<>();
    private final ExpiryThread driver = new ExpiryThread(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    });

    /** An expiry that is interrupted in its first call, and ends with its second. */
    private final class Interrupted implements ExpiryDriver.Expiry {

        /** Whether each call found the thread interrupted. */
        private final List<Boolean> calls = new ArrayList<>();

        @Override
        public long expireDue() {
            calls.add(Thread.currentThread().isInterrupted());
            if (calls.size() == 1) {
                Thread.currentThread().interrupt();
                // Else it would sleep for ever.
                driver.wake(this);
            }
            return Long.MAX_VALUE;
        }

        @Override
        public boolean isTerminated() {
            return calls.size() == 2;
        }
    }

    /** Else it could never sleep again, and would take a processor for itself. */
    @Test
    void interruptIsForgottenBeforeItSleeps() throws InterruptedException {
        Interrupted expiry = new Interrupted();
        driver.start(expiry);
        threads.get(0).join();
        assertThat(expiry.calls).containsExactly(false, false);
    }
}
