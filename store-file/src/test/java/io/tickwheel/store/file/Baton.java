package io.tickwheel.store.file;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets one of several threads run at a time: whoever has the baton. It is handed over at random, so that a seed gives one course,
 * with pauses of every length in every place that asks for one.
 */
final class Baton {

    private static final long PATIENCE_SECONDS = 120;

    private final SplittableRandom random;
    private final int oneIn;
    private final List<Semaphore> turns = new ArrayList<>();
    private final List<Integer> running = new ArrayList<>();
    private int holder;

    /** @param oneIn of so many calls of {@link #mayPass} one hands over */
    Baton(SplittableRandom random, int oneIn) {
        this.random = random;
        this.oneIn = oneIn;
    }

    /** A number for one more thread; to be called before any of them runs. */
    int join() {
        turns.add(new Semaphore(0));
        running.add(turns.size() - 1);
        return turns.size() - 1;
    }

    /** Starts one of those that wait. */
    void start() {
        giveToAny();
    }

    /** The first thing that a thread does. */
    void await(int number) {
        try {
            if (!turns.get(number).tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody hands over to " + number);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Comes back when it is this thread's turn again, perhaps at once. */
    void mayPass() {
        if (random.nextInt(oneIn) == 0) {
            int me = holder;
            giveToAny();
            await(me);
        }
    }

    /** The last thing that a thread does. */
    void leave() {
        running.remove(Integer.valueOf(holder));
        if (!running.isEmpty()) {
            giveToAny();
        }
    }

    /** Whether no other thread runs any more. */
    boolean isLast() {
        return running.size() == 1;
    }

    private void giveToAny() {
        holder = running.get(random.nextInt(running.size()));
        turns.get(holder).release();
    }
}
