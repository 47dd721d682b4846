package io.tickwheel.store.testkit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A hash over all operations and their outcomes, and the text of the last ones. */
final class OperationTrace {
    private static final int EVENTS_KEPT = 200;

    private final Deque<Event> last = new ArrayDeque<>(EVENTS_KEPT);
    private long hash;

    /**
     * @param position where in the file, or 0
     * @param length how many bytes took effect, or 0
     * @param outcome what the caller sees; empty if nothing special
     */
    void add(long number, DiskOperation operation, String path, long position, long length, String outcome) {
        if (last.size() == EVENTS_KEPT) {
            last.removeFirst();
        }
        last.addLast(new Event(number, operation, path, position, length, outcome));
        mix(operation.name().hashCode());
        mix(path.hashCode());
        mix(position);
        mix(length);
        mix(outcome.hashCode());
    }

    void mix(long value) {
        // One step of the SplitMix64 generator, from "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
        long mixed = (hash ^ value) + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        hash = mixed ^ (mixed >>> 31);
    }

    long hash() {
        return hash;
    }

    List<String> lastEvents() {
        return last.stream().map(Event::toString).toList();
    }

    private record Event(
            long number, DiskOperation operation, String path, long position, long length, String outcome) {
        @Override
        public String toString() {
            String where = length == 0 ? "" : " [" + position + ", +" + length + ")";
            return number + " " + operation + " " + path + where + (outcome.isEmpty() ? "" : " " + outcome);
        }
    }
}
