package io.tickwheel.store.redis.query;

import io.tickwheel.store.StoreException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One question about all partitions, as far as it is answered. */
abstract class Query {

    /** How many calls of one query are under way at a time. */
    static final int CALLS = 32;

    /** What went wrong last, in words. */
    String lastFault = "nothing came";

    /** Who works on it. */
    interface Asker {

        /** Asks the master of a partition. */
        void ask(Query query, QueryCall call);

        /** It has its answer. */
        void ended(Query query);
    }

    private final Asker asker;
    private int underWay;
    private boolean ended;
    private boolean timed;
    private long beginNanos;

    Query(Asker asker) {
        this.asker = asker;
    }

    /** Asks the next question, if there is one that needs no other answer first. */
    abstract boolean askNext();

    /** Called when nothing is under way and nothing is left to ask: gives the answer. */
    abstract void finish();

    /** Gives the answer that there is none. */
    abstract void fail(StoreException failure);

    final void advance() {
        while (underWay < CALLS && askNext()) {
            underWay++;
        }
        if (underWay == 0) {
            ended = true;
            finish();
            asker.ended(this);
        }
    }

    final void ask(QueryCall call) {
        asker.ask(this, call);
    }

    final void answered(QueryCall call, @Nullable Object value) {
        underWay--;
        try {
            if (!(value instanceof List<?> list)) {
                throw new IllegalArgumentException("an answer is no list");
            }
            call.answer().accept(list);
        } catch (IllegalArgumentException e) {
            end(new StoreException("what lies in Redis cannot be read: " + e.getMessage(), e));
            return;
        }
        advance();
    }

    final boolean isOver(long nowNanos, long timeoutNanos) {
        if (!timed) {
            timed = true;
            beginNanos = nowNanos;
        }
        return nowNanos - beginNanos >= timeoutNanos;
    }

    final boolean isEnded() {
        return ended;
    }

    final void end(StoreException failure) {
        if (!ended) {
            ended = true;
            fail(failure);
            asker.ended(this);
        }
    }
}
