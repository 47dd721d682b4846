package io.tickwheel.store.redis.query;

import java.util.ArrayDeque;

/**
 * Lets what asks all partitions wait for the commands that came before it, which go to one partition each. Commands are counted
 * in generations; who asks ends the current one, and is through when it and those before are empty. Used by the loop only.
 */
public final class ReadBarrier {

    private static final class Generation {

        int inside;
        final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

        void leave() {
            inside--;
        }
    }

    private final ArrayDeque<Generation> generations = new ArrayDeque<>();
    private int inside;

    public ReadBarrier() {
        generations.add(new Generation());
    }

    /** A command comes; to be called when it is answered. */
    public Runnable enter() {
        Generation generation = generations.getLast();
        generation.inside++;
        inside++;
        return () -> {
            generation.leave();
            inside--;
        };
    }

    /** Commands that are not answered. */
    public int inside() {
        return inside;
    }

    /** Runs the question once everything that came before is answered: at once, or in {@link #work}. */
    public void whenThrough(Runnable read) {
        if (inside == 0 && generations.size() == 1) {
            read.run();
            return;
        }
        generations.getLast().waiting.add(read);
        generations.add(new Generation());
    }

    public void work() {
        while (generations.size() > 1 && generations.getFirst().inside == 0) {
            generations.removeFirst().waiting.forEach(Runnable::run);
        }
    }

    public boolean isQuiet() {
        return inside == 0 && generations.size() == 1;
    }
}
