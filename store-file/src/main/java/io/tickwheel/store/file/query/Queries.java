package io.tickwheel.store.file.query;

import io.tickwheel.store.Answer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.file.disk.QueryBounds;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.ArrayDeque;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The lists and counts that are under way: a few take turns, the others wait. Owned by the loop. */
public final class Queries {

    /** Each keeps a part of the memtables, and a page. */
    private static final int AT_ONCE = 4;

    private final TimerTables tables;
    private final QueryBounds bounds;
    private final LongFunction<String> publicId;
    private final ArrayDeque<Call<?>> waiting = new ArrayDeque<>();
    private final ArrayDeque<Call<?>> running = new ArrayDeque<>();

    /** A command and its task, which is made when it is its turn. */
    private static final class Call<T> {

        private final Supplier<QueryTask<T>> start;
        private final Answer<T> answer;
        private @Nullable QueryTask<T> task;

        Call(Supplier<QueryTask<T>> start, Answer<T> answer) {
            this.start = start;
            this.answer = answer;
        }

        int work(int budget) {
            QueryTask<T> started = task;
            if (started == null) {
                started = start.get();
                task = started;
            }
            return started.work(budget);
        }

        /** Hands over what was found out; false when it is not known yet. */
        boolean isAnswered(AnswerSink answers, long lsn) {
            T result = task == null ? null : task.result();
            if (result == null) {
                return false;
            }
            answers.add(lsn, answer, result);
            return true;
        }
    }

    public Queries(TimerTables tables, QueryBounds bounds, LongFunction<String> publicId) {
        this.tables = tables;
        this.bounds = bounds;
        this.publicId = publicId;
    }

    public void list(TimerQuery query, Answer<TimerPage> answer) {
        waiting.add(new Call<>(() -> new TimerListing(tables, bounds, query, publicId), answer));
    }

    public void countDue(DueCountQuery query, Answer<DueCounts> answer) {
        waiting.add(new Call<>(() -> new DueCounting(tables, bounds, query), answer));
    }

    public boolean isEmpty() {
        return waiting.isEmpty() && running.isEmpty();
    }

    /**
     * Goes on, within the bounds of a turn.
     *
     * @param answers takes what was found out
     * @param lsn how far the log must be synced for all that the tables show now
     * @return whether it was at work: 1, else 0
     */
    public int work(AnswerSink answers, long lsn) {
        int left = bounds.entriesATurn();
        int worked = 0;
        while (left > 0 && !isEmpty()) {
            while (running.size() < AT_ONCE && !waiting.isEmpty()) {
                running.add(waiting.remove());
            }
            // Not taken out before it has worked: when that fails, it is owed an answer.
            Call<?> call = running.element();
            left -= call.work(left);
            worked = 1;
            running.remove();
            if (!call.isAnswered(answers, lsn)) {
                running.add(call);
            }
        }
        return worked;
    }

    public void failAll(StoreFailedException failure) {
        waiting.addAll(running);
        running.clear();
        while (!waiting.isEmpty()) {
            waiting.remove().answer.fail(failure);
        }
    }
}
