package io.tickwheel.store.redis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was asked of one thing by several at once, and whether that is linearizable: whether there is an order of the operations,
 * each at a moment between its call and its return, in which a thing that does one at a time gives the same answers. An operation of
 * unknown outcome is done at any time after its call, or never. Searched as by J. Wing and C. Gong, "Testing and Verifying
 * Concurrent Objects", 1993, with the memory of states by G. Lowe, "Testing for Linearizability", 2017.
 *
 * @param <M> what the thing is like, with {@code equals} by value
 */
final class LinearHistory<M> {

    /** What an operation makes of a thing. */
    interface Step<M> {

        /** Returns what the thing is like behind it, or null when its answer would have been another one. */
        @Nullable
        M after(M before);
    }

    private enum Times {
        ONE,
        AT_MOST_ONE,
        ANY
    }

    private record Operation<M>(String text, long called, long returned, Times times, Step<M> step) {

        @Override
        public String toString() {
            String end = returned == Long.MAX_VALUE ? "" : Long.toString(returned);
            return called + "-" + end + (times == Times.ONE ? " " : "? ") + text;
        }
    }

    private record Visited<M>(BitSet done, M thing) {}

    private final List<Operation<M>> operations = new ArrayList<>();

    /** Adds an operation that was done between those times, which are numbers of one counter. */
    void add(String text, long called, long returned, Step<M> step) {
        operations.add(new Operation<>(text, called, returned, Times.ONE, step));
    }

    /** Adds an operation that was done after that time, or never. */
    void addUnknown(String text, long called, Step<M> step) {
        operations.add(new Operation<>(text, called, Long.MAX_VALUE, Times.AT_MOST_ONE, step));
    }

    /** Adds an operation that was done any number of times between those. */
    void addAnyTimes(String text, long called, long returned, Step<M> step) {
        operations.add(new Operation<>(text, called, returned, Times.ANY, step));
    }

    int size() {
        return operations.size();
    }

    /** @param thing what it was like at first */
    boolean isLinearizable(M thing) {
        operations.sort(Comparator.comparingLong(Operation::called));
        return search(new BitSet(operations.size()), thing, new HashSet<>());
    }

    private boolean search(BitSet done, M thing, Set<Visited<M>> visited) {
        long firstReturn = Long.MAX_VALUE;
        long lastCalled = done.isEmpty() ? -1 : operations.get(done.length() - 1).called;
        boolean isDone = true;
        for (int i = 0; i < operations.size(); i++) {
            if (!done.get(i) && operations.get(i).times == Times.ONE) {
                isDone = false;
                firstReturn = Math.min(firstReturn, operations.get(i).returned);
            }
        }
        if (isDone || !visited.add(new Visited<>((BitSet) done.clone(), thing))) {
            return isDone;
        }
        for (int i = 0; i < operations.size() && operations.get(i).called < firstReturn; i++) {
            Operation<M> next = operations.get(i);
            M after = done.get(i) || next.returned < lastCalled ? null : next.step.after(thing);
            if (after != null) {
                done.set(i, next.times != Times.ANY);
                boolean found = search(done, after, visited);
                done.clear(i);
                if (found) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return String.join("\n", operations.stream().map(Operation::toString).toList());
    }
}
