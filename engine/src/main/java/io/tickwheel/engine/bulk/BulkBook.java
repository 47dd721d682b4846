package io.tickwheel.engine.bulk;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.queue.QueueBook;
import io.tickwheel.engine.rule.DocumentQueues;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bulk runs in the calendar: each is a timer in a queue that no program can name, under the id of the run. That of a run that goes on is due, so that it is claimed,
 * by one node at a time, and again when that node dies; that of one that has ended is due when it is to be forgotten. A timer that is never due, the list, has the ids of all of
 * them, so that nobody has to look for them among the timers of others. Owned by the loop.
 */
public final class BulkBook {

    /** How long a run that has ended is remembered at most. */
    static final Duration KEPT = Duration.ofDays(7);

    private static final Logger LOG = LoggerFactory.getLogger(BulkBook.class);
    private static final int MOST_ROUNDS = 20;
    private static final int MOST_LISTED = Bulk.MOST_REMEMBERED + Bulk.MOST_RUNNING;
    private static final String TYPE = "text/plain";

    /** No run has an empty id. */
    private static final TimerKey LIST = new TimerKey(DocumentQueues.BULKS, "");

    private final Calendar calendar;
    private final Clock clock;
    private final Inbox inbox;

    /** The runs that are known to have a document. */
    private final Set<String> stored = new HashSet<>();

    private boolean hasList;

    BulkBook(Calendar calendar, Clock clock, Inbox inbox) {
        this.calendar = calendar;
        this.clock = clock;
        this.inbox = inbox;
    }

    /** Whether a timer is none of anybody: it holds a bulk run, or lists some. */
    public static boolean isOne(TimerKey key) {
        return key.queue().equals(DocumentQueues.BULKS);
    }

    /** How many timers are documents, as far as is known here. */
    int timers() {
        return stored.size() + (hasList ? 1 : 0);
    }

    /** Takes note that there is a document of a run. */
    void seen(String id) {
        stored.add(id);
    }

    /** Takes note that there is none any more. */
    void gone(String id) {
        stored.remove(id);
    }

    private static TimerKey key(String id) {
        return new TimerKey(DocumentQueues.BULKS, id);
    }

    /** Writes a run in the place of the document with an id. */
    void write(BulkDocument document, @Nullable String expectedId, Answer<Scheduled> answer) {
        long dueAtMs = document.isRunning() ? clock.wallMs() : clock.wallMs() + KEPT.toMillis();
        schedule(key(document.id()), dueAtMs, document.write(), expectedId, answer);
    }

    private void schedule(
            TimerKey key, long dueAtMs, byte[] text, @Nullable String expectedId, Answer<Scheduled> answer) {
        byte[] content = TimerContent.EMPTY.withPayload(text, TYPE).encode();
        OnConflict rule = expectedId == null ? OnConflict.FAIL : OnConflict.REPLACE;
        calendar.schedule(
                new ScheduleCommand(key, dueAtMs, content, Lane.QUEUE_ROUTE, rule, 0, expectedId, null), answer);
    }

    /** Lists a new run, and writes it. */
    void add(BulkDocument document, Answer<Scheduled> answer) {
        add(document, answer, MOST_ROUNDS);
    }

    private void add(BulkDocument document, Answer<Scheduled> answer, int roundsLeft) {
        list(
                answer,
                (listId, ids) -> forgetSurplus(ids, 0, answer, kept -> {
                    kept.add(document.id());
                    byte[] text = String.join("\n", kept).getBytes(StandardCharsets.UTF_8);
                    schedule(LIST, QueueBook.NEVER_MS, text, listId, new Answer<>() {

                        @Override
                        public void accept(Scheduled written) {
                            boolean isOther = written.outcome() == Scheduled.Outcome.CONFLICT;
                            hasList = true;
                            inbox.note(isOther ? this::again : () -> write(document, null, answer));
                        }

                        @Override
                        public void fail(StoreException reason) {
                            if (reason instanceof IdMismatchException) {
                                inbox.note(this::again);
                            } else {
                                answer.fail(reason);
                            }
                        }

                        private void again() {
                            if (roundsLeft == 1) {
                                answer.fail(contended("the list of bulk runs was changed"));
                            } else {
                                add(document, answer, roundsLeft - 1);
                            }
                        }
                    });
                }));
    }

    private static StoreUnavailableException contended(String what) {
        return new StoreUnavailableException(what + " by others " + MOST_ROUNDS + " times meanwhile", false);
    }

    /** Goes on with the ids, without those of the first runs that have ended when there are too many. */
    private void forgetSurplus(List<String> ids, int at, Answer<?> failing, Consumer<List<String>> next) {
        if (ids.size() < MOST_LISTED || at == ids.size()) {
            next.accept(ids);
            return;
        }
        String id = ids.get(at);
        stored(id, failing, found -> {
            if (found != null && found.document.isRunning()) {
                forgetSurplus(ids, at + 1, failing, next);
                return;
            }
            ids.remove(at);
            gone(id);
            if (found == null) {
                forgetSurplus(ids, at, failing, next);
            } else {
                calendar.cancel(
                        key(id),
                        found.timerId,
                        null,
                        then(failing, cancelled -> forgetSurplus(ids, at, failing, next)));
            }
        });
    }

    private interface Listed {

        void take(@Nullable String listId, List<String> ids);
    }

    private void list(Answer<?> failing, Listed next) {
        calendar.read(LIST, then(failing, found -> {
            if (found.isEmpty() || found.get(0).view().state().isFinished()) {
                next.take(null, new ArrayList<>());
                return;
            }
            hasList = true;
            byte[] text;
            try {
                text = TimerContent.decode(found.get(0).content()).payload();
            } catch (IllegalArgumentException e) {
                failing.fail(new StoreException("the list of bulk runs cannot be read: " + e.getMessage(), e));
                return;
            }
            List<String> ids = new ArrayList<>(List.of(new String(text, StandardCharsets.UTF_8).split("\n", 0)));
            next.take(found.get(0).view().id(), ids);
        }));
    }

    /** Reads a run; empty when there is none of that id, or it cannot be read. */
    void read(String id, Answer<Optional<BulkDocument>> answer) {
        stored(id, answer, found -> answer.accept(Optional.ofNullable(found).map(Stored::document)));
    }

    private record Stored(String timerId, BulkDocument document) {}

    private void stored(String id, Answer<?> failing, Consumer<@Nullable Stored> next) {
        calendar.read(key(id), then(failing, found -> next.accept(decoded(id, found))));
    }

    private @Nullable Stored decoded(String id, List<StoredTimer> found) {
        if (id.isEmpty() || found.isEmpty() || found.get(0).view().state().isFinished()) {
            return null;
        }
        try {
            BulkDocument document = BulkDocument.read(
                    id, TimerContent.decode(found.get(0).content()).payload());
            seen(id);
            return new Stored(found.get(0).view().id(), document);
        } catch (IllegalArgumentException e) {
            LOG.warn("bulk run {} cannot be read: {}", id, e.getMessage());
            return null;
        }
    }

    /** Reads all runs. */
    void all(Answer<List<BulkDocument>> answer) {
        list(answer, (listId, ids) -> readAll(new ArrayDeque<>(ids), new ArrayList<>(), answer));
    }

    private void readAll(ArrayDeque<String> ids, List<BulkDocument> read, Answer<List<BulkDocument>> answer) {
        String id = ids.poll();
        if (id == null) {
            answer.accept(read);
            return;
        }
        stored(id, answer, found -> {
            if (found != null) {
                read.add(found.document);
            }
            readAll(ids, read, answer);
        });
    }

    /** Learns how many documents there are. */
    void countDocuments() {
        Answer<Void> unknown = new Answer<>() {

            @Override
            public void accept(Void nothing) {}

            @Override
            public void fail(StoreException reason) {
                LOG.debug("the list of bulk runs was not read: {}", reason.getMessage());
            }
        };
        list(unknown, (listId, ids) -> ids.forEach(id -> stored(id, unknown, found -> {})));
    }

    /**
     * Has a run end, on whichever node; empty when there is none of that id. The document is written also when it says so already, and that of a run that has ended
     * too: what is read need not be durable yet, and what is answered is.
     */
    void stop(String id, Answer<Optional<BulkDocument>> answer) {
        stop(id, answer, MOST_ROUNDS);
    }

    private void stop(String id, Answer<Optional<BulkDocument>> answer, int roundsLeft) {
        stored(id, answer, found -> {
            if (found == null) {
                answer.accept(Optional.empty());
                return;
            }
            BulkDocument stopped = found.document.withStopWanted();
            write(stopped, found.timerId, new Answer<>() {

                @Override
                public void accept(Scheduled written) {
                    answer.accept(Optional.of(stopped));
                }

                @Override
                public void fail(StoreException reason) {
                    if (!(reason instanceof IdMismatchException)) {
                        answer.fail(reason);
                    } else if (roundsLeft == 1) {
                        answer.fail(contended("bulk run " + id + " was changed"));
                    } else {
                        inbox.note(() -> stop(id, answer, roundsLeft - 1));
                    }
                }
            });
        });
    }

    /** Goes on with an answer in a note, as an answer must not call the calendar, or has another one fail as it did. */
    private <T> Answer<T> then(Answer<?> failing, Consumer<T> next) {
        return new Answer<>() {

            @Override
            public void accept(T given) {
                inbox.note(() -> next.accept(given));
            }

            @Override
            public void fail(StoreException reason) {
                failing.fail(reason);
            }
        };
    }
}
