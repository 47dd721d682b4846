package io.tickwheel.store.redis.query;

import io.tickwheel.store.Answer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The questions that are about all partitions. A few are worked on at a time, the others wait. For the loop only.
 *
 * <p>Nothing here changes anything, so whatever got no answer is asked again, until the question is over its time.
 */
public final class Queries implements Query.Asker {

    private static final int RUNNING = 4;

    private final Layout layout;
    private final Link link;
    private final long timeoutNanos;
    private final BooleanSupplier mayAsk;
    private final List<Query> running = new ArrayList<>();
    private final ArrayDeque<Query> waiting = new ArrayDeque<>();
    private final List<Asked> unanswered = new ArrayList<>();

    /**
     * @param timeoutNanos how long a question may take in all
     * @param mayAsk whether the servers have what they are asked about, as far as is known; while they may not, questions wait
     */
    public Queries(Layout layout, Link link, long timeoutNanos, BooleanSupplier mayAsk) {
        this.layout = layout;
        this.link = link;
        this.timeoutNanos = timeoutNanos;
        this.mayAsk = mayAsk;
    }

    public void queues(Answer<List<QueueCounts>> answer) {
        begin(new QueueCounting(this, layout, answer));
    }

    public void list(TimerQuery query, Answer<TimerPage> answer) {
        begin(new TimerListing(this, layout, query, answer));
    }

    public void countDue(DueCountQuery query, Answer<DueCounts> answer) {
        begin(new DueCounting(this, layout, query, answer));
    }

    private void begin(Query query) {
        waiting.add(query);
        startWaiting();
    }

    private void startWaiting() {
        while (running.size() < RUNNING && !waiting.isEmpty()) {
            Query next = waiting.remove();
            running.add(next);
            next.advance();
        }
    }

    /** Asks again what got no answer, and fails what is over its time. Returns how much of that there was. */
    public int work(long nowNanos) {
        int done = 0;
        for (Query each : open()) {
            if (each.isOver(nowNanos, timeoutNanos)) {
                each.end(new StoreUnavailableException("Redis did not answer in time; last: " + each.lastFault, false));
                done++;
            }
        }
        for (Iterator<Asked> all = unanswered.iterator(); all.hasNext(); ) {
            Asked each = all.next();
            if (each.query.isEnded()) {
                all.remove();
            } else if (mayAsk.getAsBoolean() && each.delay.isOver(nowNanos)) {
                all.remove();
                link.send(each.again());
                done++;
            }
        }
        return done;
    }

    public boolean isQuiet() {
        return running.isEmpty() && waiting.isEmpty();
    }

    /** Fails everything that is not answered yet. */
    public void fail(StoreException failure) {
        open().forEach(query -> query.end(failure));
        unanswered.clear();
    }

    private List<Query> open() {
        List<Query> open = new ArrayList<>(running);
        open.addAll(waiting);
        return open;
    }

    @Override
    public void ask(Query query, QueryCall call) {
        Asked asked = new Asked(query, call, new RetryDelay());
        if (mayAsk.getAsBoolean()) {
            link.send(asked);
        } else {
            unanswered.add(asked);
        }
    }

    @Override
    public void ended(Query query) {
        waiting.remove(query);
        if (running.remove(query)) {
            startWaiting();
        }
    }

    /** A question on its way. */
    private final class Asked extends Call {

        private final Query query;
        private final QueryCall call;
        private final RetryDelay delay;

        Asked(Query query, QueryCall call, RetryDelay delay) {
            super(call.slot(), call.script(), call.command(), call.keys(), call.arguments());
            this.query = query;
            this.call = call;
            this.delay = delay;
        }

        Asked again() {
            return new Asked(query, call, delay);
        }

        @Override
        public void answered(Reply reply) {
            if (query.isEnded()) {
                return;
            }
            switch (reply.outcome()) {
                case DONE, UNMET -> query.answered(call, reply.value());
                case REFUSED ->
                    query.end(new StoreUnavailableException("Redis refused to be read: " + reply.reason(), false));
                case FULL, UNAVAILABLE, UNKNOWN -> {
                    query.lastFault = reply.reason();
                    delay.failed();
                    unanswered.add(this);
                }
            }
        }
    }
}
