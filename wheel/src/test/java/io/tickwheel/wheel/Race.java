package io.tickwheel.wheel;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that do what they are told at the same moment, round after round: thousands of rounds in a second. */
@SuppressWarnings("ThreadPriorityCheck") // There may be more actors than processors; nothing depends on the yields.
final class Race implements AutoCloseable {
    private static final int MAX_HEAD_START = 60;

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger round = new AtomicInteger();
    private volatile boolean over;

    Race(long seed, Runnable... actors) {
        SplittableRandom random = new SplittableRandom(seed);
        for (Runnable actor : actors) {
            SplittableRandom own = random.split();
            Thread thread = new Thread(() -> loop(actor, own), "racer-" + threads.size());
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Lets all actors run once and returns when they are done. What they have written is then seen. */
    void run() {
        running.set(threads.size());
        round.incrementAndGet();
        while (running.get() > 0) {
            Thread.yield();
        }
        if (failure.get() != null) {
            throw new AssertionError("round " + round, failure.get());
        }
    }

    private void loop(Runnable actor, SplittableRandom random) {
        int done = 0;
        while (!over) {
            if (round.get() == done) {
                Thread.yield();
                continue;
            }
            done++;
            for (int spins = random.nextInt(MAX_HEAD_START); spins > 0; spins--) {
                Thread.onSpinWait();
            }
            try {
                actor.run();
            } catch (RuntimeException | Error e) {
                failure.compareAndSet(null, e);
            }
            running.decrementAndGet();
        }
    }

    @Override
    public void close() {
        over = true;
    }
}
