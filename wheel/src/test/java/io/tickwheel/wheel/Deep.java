package io.tickwheel.wheel;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Calls made where the stack ends, and the look at who still gets through afterwards. For programs of their own, which it ends. */
final class Deep {
    private static final long STACK_BYTES = 512 << 10;
    private static final int CALLERS = 64;
    private static final long LIMIT_SECONDS = 30;

    private Deep() {}

    /** What is done where it may fail at any call. */
    @FunctionalInterface
    interface Step {
        void run(int number) throws Exception;
    }

    /**
     * Runs a step at each of the last depths of a stack, from the very end upwards, on a thread of its own.
     *
     * @return how often it overflowed
     */
    static int atTheEndOfAStack(int depths, Step step) throws InterruptedException {
        Dive dive = new Dive(depths, step);
        Thread thread = new Thread(null, dive::down, "deep", STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        join(thread, "a call at the end of the stack");
        return dive.overflows;
    }

    /** Lets many new threads make a call; fails if one of them does not come back. */
    static void expectAllThrough(String after, Step call) throws InterruptedException {
        CountDownLatch through = new CountDownLatch(CALLERS);
        Throwable[] failure = new Throwable[1];
        for (int i = 0; i < CALLERS; i++) {
            int number = i;
            Thread caller = new Thread(() -> {
                try {
                    call.run(number);
                } catch (Throwable thrown) {
                    failure[0] = thrown;
                }
                through.countDown();
            });
            caller.setDaemon(true);
            caller.start();
        }
        if (!through.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            end(through.getCount() + " of " + CALLERS + " callers hang after " + after);
        }
        if (failure[0] != null) {
            throw new AssertionError("a caller failed after " + after, failure[0]);
        }
    }

    private static void join(Thread thread, String what) throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        if (thread.isAlive()) {
            end(what + " hangs at " + Arrays.toString(thread.getStackTrace()));
        }
    }

    /** Ends the process: what hangs might keep it from ending in any other way. */
    private static void end(String why) {
        System.out.println(why);
        Thread.getAllStackTraces()
                .forEach((thread, stack) -> System.out.println(thread + " " + Arrays.toString(stack)));
        Runtime.getRuntime().halt(1);
    }

    private static final class Dive {
        private final Step step;
        private int left;
        private int overflows;

        Dive(int depths, Step step) {
            this.left = depths;
            this.step = step;
        }

        @SuppressWarnings("InfiniteRecursion") // Until the stack ends.
        void down() {
            try {
                down();
            } catch (StackOverflowError end) {
                overflows++;
            }
            if (left > 0) {
                try {
                    step.run(left--);
                } catch (VirtualMachineError end) {
                    // Where the JVM links a call it is another error.
                    overflows++;
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
