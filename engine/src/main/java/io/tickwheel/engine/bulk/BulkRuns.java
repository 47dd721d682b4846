package io.tickwheel.engine.bulk;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.BulkView;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.inbox.Replies;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The bulk runs of an engine. Any thread may ask for one or look at them; the loop does their work.
 *
 * <p>A run is a document of the {@link BulkBook}, which comes due as any timer does, and whose attempt does the work, on whichever node:
 *
 * <pre>
 *   start: document -> due -> claimed -> work, a second of it -> document with what it has come to -> due -> claimed -> ...
 *                                          '-> at the end: document of an ended run -> due in a week -> forgotten
 * </pre>
 *
 * So one node works at a time, and the death of one ends its claim. A replace of the document by anybody ends the claim too: work that is done by two nodes for a
 * moment is harmless, as each timer is changed as the one that was seen.
 */
public final class BulkRuns implements Target {

    /** The name under which the engine knows where documents go. */
    public static final String TARGET = "bulk";

    private static final long SAVE_NANOS = 1_000_000_000L;

    private final Calendar calendar;
    private final Clock clock;
    private final Inbox inbox;
    private final Replies replies;
    private final EngineListener listener;
    private final Consumer<String> log;
    private final BulkBook book;

    private final KnownRuns known = new KnownRuns();

    /** Owned by the loop: those that are worked on here. */
    private final List<BulkSegment> running = new ArrayList<>();

    private final BulkFollowing following;
    private final BulkQueries queries;
    private boolean isListRead;
    private boolean closing;

    /** @param log takes a line for each run that has ended */
    public BulkRuns(
            Calendar calendar,
            Clock clock,
            Inbox inbox,
            Replies replies,
            EngineListener listener,
            Consumer<String> log) {
        this.calendar = calendar;
        this.clock = clock;
        this.inbox = inbox;
        this.replies = replies;
        this.listener = listener;
        this.log = log;
        this.book = new BulkBook(calendar, clock, inbox);
        this.following = new BulkFollowing(calendar, clock, replies, book);
        this.queries = new BulkQueries(book, this::all, this::isWorkedOn);
    }

    // ---- any thread may call this

    /**
     * Begins a run that somebody has asked for.
     *
     * @throws IllegalStateException when too many go on, or the engine is closed
     */
    public Bulk ask(BulkRequest request, String id) {
        BulkRun run = new BulkRun(id, request, clock, timer -> true, Long.MAX_VALUE);
        known.add(run);
        inbox.note(() -> start(run));
        return run;
    }

    /**
     * Begins a run that only counts and is not listed.
     *
     * @throws IllegalStateException when too many go on, or the engine is closed
     */
    public CompletableFuture<BulkProgress> askForCount(BulkRequest request) {
        BulkRun run = new BulkRun("count", request, clock, timer -> true, Long.MAX_VALUE);
        known.addCount(run);
        inbox.note(() -> begin(run));
        return run.done();
    }

    public List<Bulk> all() {
        return known.all();
    }

    // ---- only the loop calls this

    /** How many timers of the calendar are bulk runs, as far as is known. */
    public int timers() {
        return book.timers();
    }

    /** Stores a run, to be worked on once its document has come. */
    private void start(BulkRun run) {
        book.add(run.document(), new Answer<>() {

            @Override
            public void accept(Scheduled written) {
                if (written.outcome() == Scheduled.Outcome.CONFLICT) {
                    BulkRuns.this.fail(run, "there is a bulk run of the id " + run.id());
                    return;
                }
                book.seen(run.id());
                replies.add(run::completeAccepted);
                leave(run);
            }

            @Override
            public void fail(StoreException reason) {
                if (reason instanceof StoreFullException && !closing) {
                    // It may be meant to make room.
                    log.accept("bulk run " + run.id() + " is not stored, and ends with this engine: "
                            + reason.getMessage());
                    begin(run);
                    replies.add(run::completeAccepted);
                } else {
                    BulkRuns.this.fail(run, reason.getMessage());
                }
            }
        });
    }

    /** Works on a run that is not stored; one that comes while the engine closes ends where it stands. */
    public void begin(BulkRun run) {
        if (closing) {
            run.suspend();
        }
        running.add(new BulkSegment(run, clock.monoNanos()));
    }

    /** Takes a document that has come due. */
    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        String id = attempt.timer().key();
        BulkDocument document;
        try {
            document = BulkDocument.read(id, attempt.payload());
        } catch (IllegalArgumentException e) {
            delivery.reject(String.valueOf(e.getMessage()));
            return;
        }
        if (!document.isRunning()) {
            book.gone(id);
            delivery.acknowledge();
            return;
        }
        book.seen(id);
        for (BulkSegment segment : running) {
            if (segment.isOf(id)) {
                segment.adopt(attempt.id(), delivery, document.stopWanted());
                return;
            }
        }
        BulkRun run = known.find(id);
        if (run == null || !run.isRunning()) {
            run = new BulkRun(document, clock);
            known.replace(run);
        } else {
            run.resume(document);
        }
        following.remove(run);
        running.add(new BulkSegment(run, clock.monoNanos(), attempt.id(), delivery));
    }

    /** Gives each run its step; returns how many timers were looked at. */
    public int work() {
        if (!isListRead && calendar.hasRoom()) {
            isListRead = true;
            book.countDocuments();
        }
        following.work();
        if (running.isEmpty()) {
            return 0;
        }
        long nowNanos = clock.monoNanos();
        int looked = 0;
        for (BulkSegment segment : List.copyOf(running)) {
            if (calendar.hasRoom() && !segment.isSaving()) {
                looked += segment.run.work(calendar, listener, nowNanos);
                save(segment, nowNanos);
            }
        }
        return looked;
    }

    private void save(BulkSegment segment, long nowNanos) {
        BulkRun run = segment.run;
        if (!segment.isStored()) {
            if (!run.isRunning()) {
                ended(segment);
            } else if (closing && run.isAtRest()) {
                run.end(BulkProgress.State.STOPPED, null);
                ended(segment);
            }
            return;
        }
        if (nowNanos - segment.sinceNanos >= SAVE_NANOS) {
            run.pause();
        }
        if (!run.isRunning() || run.isAtRest()) {
            BulkDocument document = run.document();
            boolean saysEnd = document.stopWanted() || !document.isRunning();
            book.write(document, segment.beginSave(), new Saved(segment, saysEnd));
        }
    }

    /** Takes the answer to the document with which a segment ends. */
    private final class Saved implements Answer<Scheduled> {

        private final BulkSegment segment;
        private final boolean saysEnd;

        /** @param saysEnd whether the document has it that the run ends */
        Saved(BulkSegment segment, boolean saysEnd) {
            this.segment = segment;
            this.saysEnd = saysEnd;
        }

        @Override
        public void accept(Scheduled written) {
            BulkRun run = segment.run;
            boolean isClaimed = segment.endSave(written.timer().id());
            if (saysEnd) {
                segment.takeStops().forEach(asked -> asked.accept(Optional.of(run.view())));
            }
            if (!run.isRunning()) {
                ended(segment);
            } else if (isClaimed && !closing) {
                run.goOn();
                segment.sinceNanos = clock.monoNanos();
            } else {
                if (isClaimed) {
                    segment.giveBack(clock.now());
                } else {
                    segment.release();
                }
                leave();
            }
        }

        private void leave() {
            running.remove(segment);
            BulkRuns.this.leave(segment.run);
            passOnStops(segment);
        }

        @Override
        public void fail(StoreException reason) {
            boolean isReplaced = reason instanceof IdMismatchException;
            boolean isClaimed = segment.endFailedSave();
            if (isReplaced && isClaimed) {
                // The document that it was replaced by has come meanwhile: it is written in the place of that one.
                return;
            }
            if (!isReplaced) {
                segment.takeStops().forEach(asked -> asked.fail(reason));
            }
            if (!segment.run.isRunning()) {
                // Nothing is left to do: at worst another node, or a restart, finds so.
                ended(segment);
            } else if (isReplaced) {
                segment.release();
                leave();
            } else if (closing) {
                segment.giveBack(clock.now());
                leave();
            } else {
                segment.sinceNanos = clock.monoNanos();
                segment.run.goOn();
            }
        }
    }

    private void ended(BulkSegment segment) {
        running.remove(segment);
        segment.release();
        passOnStops(segment);
        BulkRun run = segment.run;
        BulkProgress end = run.progress();
        boolean isWorthALine = end.matched() > 0 && !run.request().dryRun();
        if (isWorthALine || end.failure() != null) {
            log.accept(line(run, end));
        }
        replies.add(run::complete);
    }

    /** Has whoever asked a segment that is over for the end of its run answered by the document. */
    private void passOnStops(BulkSegment segment) {
        for (Answer<Optional<BulkView>> asked : segment.takeStops()) {
            inbox.note(() -> queries.stop(segment.run.id(), asked));
        }
    }

    private static String line(BulkRun run, BulkProgress end) {
        BulkRequest request = run.request();
        return request.action() + " in queue "
                + request.timers().queue() + ", bulk run " + run.id() + ", is " + end.state() + ": " + end.matched()
                + " timers found, " + end.changed() + " changed"
                + (end.failure() == null ? "" : ", " + end.failure());
    }

    /** Waits for the document of a run to come, here or elsewhere, unless it has come. */
    private void leave(BulkRun run) {
        if (!isWorkedOn(run.id()) && closing) {
            suspended(run);
        } else if (!isWorkedOn(run.id())) {
            following.add(run);
        }
    }

    private void suspended(BulkRun run) {
        run.end(BulkProgress.State.SUSPENDED, null);
        replies.add(run::complete);
    }

    /** In how many nanoseconds to be called again, when nothing comes before; the loop is woken when the calendar has room again. */
    public long idleNanos() {
        long nowNanos = clock.monoNanos();
        long idle = following.idleNanos(nowNanos);
        if (!calendar.hasRoom()) {
            return idle;
        }
        for (BulkSegment segment : running) {
            idle = Math.min(idle, segment.run.idleNanos(nowNanos));
        }
        return idle;
    }

    /** Has a run end; the answer is how it stands once that is stored, and empty when none of that id is known. */
    public void stop(String id, Answer<Optional<BulkView>> answer) {
        for (BulkSegment segment : running) {
            if (segment.isOf(id)) {
                segment.stop(answer);
                return;
            }
        }
        queries.stop(id, answer);
    }

    /** Has all of them come to rest, as soon as what they have asked for is answered, and their documents written. */
    public void stop() {
        closing = true;
        running.forEach(segment -> segment.run.suspend());
        following.stop().forEach(this::suspended);
    }

    public boolean areDone() {
        return running.isEmpty();
    }

    /** Ends all of them here: nothing is answered any more. */
    public void fail(StoreFailedException failure) {
        List<BulkRun> all = new ArrayList<>(following.stop());
        for (BulkSegment segment : running) {
            all.add(segment.run);
            segment.takeStops().forEach(asked -> asked.fail(failure));
        }
        running.clear();
        all.forEach(run -> fail(run, failure.getMessage()));
    }

    private void fail(BulkRun run, @Nullable String why) {
        run.end(BulkProgress.State.FAILED, why);
        replies.add(run::complete);
    }

    /** Ends those that were asked for too late to be begun; to be called last. */
    public void endUnbegun() {
        known.close().forEach(run -> fail(run, "the engine is closed"));
    }

    /** What is asked about the runs of the store. */
    public BulkQueries queries() {
        return queries;
    }

    private boolean isWorkedOn(String id) {
        return running.stream().anyMatch(segment -> segment.isOf(id));
    }
}
