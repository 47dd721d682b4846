package io.tickwheel.engine.bulk;

import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.inbox.Replies;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bulk runs that are known here and not worked on: their documents are about to come, or have gone to another node, which is looked at once a second where nodes
 * share the calendar. Owned by the loop.
 */
final class BulkFollowing {

    private static final long LOOK_NANOS = 1_000_000_000L;

    private final Calendar calendar;
    private final Clock clock;
    private final Replies replies;
    private final BulkBook book;
    private final List<BulkRun> runs = new ArrayList<>();
    private long lookedAtNanos;
    private int asked;

    BulkFollowing(Calendar calendar, Clock clock, Replies replies, BulkBook book) {
        this.calendar = calendar;
        this.clock = clock;
        this.replies = replies;
        this.book = book;
        this.lookedAtNanos = clock.monoNanos();
    }

    void add(BulkRun run) {
        if (!runs.contains(run)) {
            runs.add(run);
        }
    }

    void remove(BulkRun run) {
        runs.remove(run);
    }

    /** Lets go of all of them. */
    List<BulkRun> stop() {
        List<BulkRun> all = List.copyOf(runs);
        runs.clear();
        return all;
    }

    /** Looks at how they stand, when it is time to. */
    void work() {
        long nowNanos = clock.monoNanos();
        if (!runs.isEmpty() && calendar.isShared() && asked == 0 && nowNanos - lookedAtNanos >= LOOK_NANOS) {
            lookedAtNanos = nowNanos;
            List.copyOf(runs).forEach(this::look);
        }
    }

    /** In how many nanoseconds it must be called again, unless an answer comes before. */
    long idleNanos(long nowNanos) {
        if (runs.isEmpty() || !calendar.isShared() || asked > 0) {
            return Long.MAX_VALUE;
        }
        return Math.max(0, lookedAtNanos + LOOK_NANOS - nowNanos);
    }

    private void look(BulkRun run) {
        asked++;
        Answer<Optional<BulkDocument>> answer = new Answer<>() {

            @Override
            public void accept(Optional<BulkDocument> found) {
                asked--;
                // Its document may have come here meanwhile.
                if (runs.contains(run)) {
                    found.ifPresentOrElse(document -> show(run, document), () -> forgotten(run));
                }
            }

            @Override
            public void fail(StoreException reason) {
                asked--;
                // The next look is not far; the store says what it cannot do with other commands too.
            }
        };
        if (run.isStopWanted()) {
            book.stop(run.id(), answer);
        } else {
            book.read(run.id(), answer);
        }
    }

    private void show(BulkRun run, BulkDocument document) {
        run.show(document.progress());
        end(run);
    }

    private void forgotten(BulkRun run) {
        run.end(BulkProgress.State.FAILED, "it is not stored any more");
        end(run);
    }

    private void end(BulkRun run) {
        if (!run.isRunning()) {
            runs.remove(run);
            replies.add(run::complete);
        }
    }
}
