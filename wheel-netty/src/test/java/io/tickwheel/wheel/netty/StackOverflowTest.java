package io.tickwheel.wheel.netty;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A stack that ends in the middle of a call leaves nothing locked: later callers get through, and their tasks run. */
final class StackOverflowTest {
    private static final TimerTask NOTHING = timeout -> {};
    private static final int ROUNDS = Integer.getInteger("tickwheel.stack.rounds", 40);
    private static final int DEPTHS = 120;
    private static final int CALLERS = 64;
    private static final long STACK_BYTES = 512 << 10;
    private static final long LIMIT_SECONDS = 30;

    private final NettyWheelTimer timer = new NettyWheelTimer(new DefaultThreadFactory("ours", true), 1, MILLISECONDS);
    // No collection: a call of it could break in its middle too.
    private final Timeout[] timeouts = new Timeout[DEPTHS * ROUNDS];
    private int kept;
    private int overflows;
    private int left;

    @Test
    void callersAfterAnOverflowGetThrough() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            left = DEPTHS + round % 7;
            int kind = round;
            Thread deep = new Thread(null, () -> dive(kind), "deep", STACK_BYTES);
            deep.setDaemon(true);
            deep.start();
            deep.join(SECONDS.toMillis(LIMIT_SECONDS));
            assertThat(deep.isAlive())
                    .as("a call at the end of the stack hangs")
                    .isFalse();
            expectCallersThrough(round);
        }
        assertThat(overflows).isGreaterThan(ROUNDS);
        timer.stop();
    }

    private void expectCallersThrough(int round) throws InterruptedException {
        CountDownLatch through = new CountDownLatch(CALLERS);
        for (int i = 0; i < CALLERS; i++) {
            Thread caller = new Thread(() -> {
                timer.newTimeout(NOTHING, 1, HOURS).cancel();
                timer.newTimeout(t -> through.countDown(), 1, MILLISECONDS);
            });
            caller.setDaemon(true);
            caller.start();
        }
        assertThat(through.await(LIMIT_SECONDS, SECONDS))
                .as("%s of %s callers hang after round %s", through.getCount(), CALLERS, round)
                .isTrue();
    }

    @SuppressWarnings("InfiniteRecursion") // Until the stack ends.
    private void dive(int round) {
        try {
            dive(round);
        } catch (StackOverflowError end) {
            overflows++;
        }
        if (left-- > 0) {
            try {
                scheduleOrCancel(round);
            } catch (StackOverflowError end) {
                overflows++;
            }
        }
    }

    private void scheduleOrCancel(int round) {
        switch (round % 4) {
            case 0 -> {
                Timeout timeout = timer.newTimeout(NOTHING, 1, HOURS);
                timeouts[kept++] = timeout;
            }
            case 1 -> timer.newTimeout(NOTHING, 1, HOURS).cancel();
            case 2 -> {
                Timeout timeout = timer.newTimeout(NOTHING, 0, HOURS);
                timeouts[kept++] = timeout;
            }
            default -> {
                if (kept > 0) {
                    timeouts[--kept].cancel();
                }
            }
        }
    }
}
