package io.tickwheel.store.file.calendar;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.recovery.IndexBuild;
import io.tickwheel.store.file.timers.TimerTables;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The filling of the key index after an opening, and the commands that wait for it. The index is asked to look for their keys ahead of the rest, and as soon as
 * all keys of a command are known, it is decided: so those of one key are decided in the order of the calls, and those of other keys may overtake it. Lists
 * and counts are overtaken too. Owned by the loop.
 */
final class Indexing {

    /** So many commands may wait. */
    private static final int MOST = 1_024;

    private final TimerTables tables;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /** Fills the index; null when that is done. */
    private @Nullable IndexBuild build;

    private boolean mayHaveOneToRun;
    private long changesSeen;

    Indexing(TimerTables tables, IndexBuild build) {
        this.tables = tables;
        this.build = build;
    }

    private record Key(String queue, long hash) {}

    /**
     * @param keys what it asks about
     * @param listed the queue that it lists; null for all, and for those that list nothing
     */
    private record Waiting(List<Key> keys, @Nullable String listed, Runnable command) {

        boolean isKnown(IndexBuild build) {
            return listed != null
                    ? build.isKnown(listed)
                    : !keys.isEmpty() && keys.stream().allMatch(key -> build.isKnown(key.queue, key.hash));
        }
    }

    /** Fills the index when that takes no time, so that no command has to wait. */
    void begin() throws IOException {
        if (build != null && build.isDoneAtOnce()) {
            build = null;
        }
    }

    boolean isUnderWay() {
        return build != null;
    }

    /** What fills the index; null when that is done. */
    @Nullable
    IndexBuild build() {
        return build;
    }

    /** Whether a command must wait, as the index is not complete, or as others wait. */
    boolean mustWait() {
        return build != null || !waiting.isEmpty();
    }

    /** Whether no command waits. */
    boolean isEmpty() {
        return waiting.isEmpty();
    }

    boolean hasRoom() {
        return waiting.size() < MOST;
    }

    /** Has a command about some keys wait until they are known. */
    void add(List<TimerKey> names, Runnable command) {
        List<Key> keys = new ArrayList<>(names.size());
        for (TimerKey name : names) {
            Key key = new Key(name.queue(), tables.hash(name));
            keys.add(key);
            if (build != null) {
                build.want(key.queue, key.hash);
            }
        }
        add(new Waiting(keys, null, command));
    }

    /** Has a list wait until all timers of its queue are known; null is all queues. */
    void addList(@Nullable String queue, Runnable command) {
        if (build != null && queue != null) {
            build.want(queue);
        }
        add(new Waiting(List.of(), queue, command));
    }

    /** Has something wait until all is known, or until those before it are decided. */
    void add(Runnable command) {
        add(new Waiting(List.of(), null, command));
    }

    private void add(Waiting added) {
        waiting.addLast(added);
        mayHaveOneToRun = true;
    }

    /**
     * Goes on.
     *
     * @param budget how many timers to look at, about
     * @param limit how many commands to run at most, when all is known
     * @param hasRoom whether one more may be run
     * @return how many were run, and one more while there is more to be done
     */
    int work(int budget, int limit, BooleanSupplier hasRoom) throws IOException {
        IndexBuild filling = build;
        if (filling != null) {
            if (!filling.work(budget)) {
                return 1 + runKnown(filling, hasRoom);
            }
            build = null;
        }
        return runAll(limit, hasRoom);
    }

    /** Takes note of a timer that finishes while the index is being filled. */
    void remember(FinishedRecord finished) {
        IndexBuild filling = build;
        assert filling != null : "remembered at once when the index is complete";
        filling.remember(finished);
    }

    /** Runs all, for whom the store has failed: each is told so. */
    void fail() {
        runAll(Integer.MAX_VALUE, () -> true);
    }

    /** Runs those whose keys are known ahead of the rest. */
    private int runKnown(IndexBuild filling, BooleanSupplier hasRoom) {
        if (waiting.isEmpty() || (!mayHaveOneToRun && changesSeen == filling.changes())) {
            return 0;
        }
        mayHaveOneToRun = false;
        changesSeen = filling.changes();
        Overtaken overtaken = new Overtaken();
        int done = 0;
        try {
            // What is added meanwhile comes behind those that go on waiting. When a command fails the store, all are
            // run, and none is left.
            for (int left = waiting.size(); left > 0 && !waiting.isEmpty(); left--) {
                Waiting next = waiting.remove();
                boolean mayRun = next.isKnown(filling) && !overtaken.hasAnyOf(next);
                if (mayRun && hasRoom.getAsBoolean()) {
                    done++;
                    next.command.run();
                } else {
                    mayHaveOneToRun |= mayRun;
                    overtaken.add(next);
                }
            }
        } finally {
            overtaken.putBackInto(waiting);
        }
        return done;
    }

    /** Those that go on waiting while others behind them are run. */
    private static final class Overtaken {

        private final ArrayDeque<Waiting> inOrder = new ArrayDeque<>();
        private final Set<Key> keys = new HashSet<>();
        private final Set<String> queues = new HashSet<>();

        void add(Waiting waiting) {
            inOrder.add(waiting);
            keys.addAll(waiting.keys);
            waiting.keys.forEach(key -> queues.add(key.queue));
        }

        boolean hasAnyOf(Waiting other) {
            return other.keys.stream().anyMatch(keys::contains)
                    || (other.listed != null && queues.contains(other.listed));
        }

        void putBackInto(ArrayDeque<Waiting> waiting) {
            inOrder.descendingIterator().forEachRemaining(waiting::addFirst);
        }
    }

    /** Runs them in their order. */
    private int runAll(int limit, BooleanSupplier hasRoom) {
        int done = 0;
        while (done < limit && !waiting.isEmpty() && hasRoom.getAsBoolean()) {
            waiting.remove().command.run();
            done++;
        }
        return done;
    }
}
