package io.tickwheel.engine.queue;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.inbox.Submissions;
import io.tickwheel.engine.rule.DocumentQueues;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerView;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is set of the queues, as this node knows it. The settings of a queue are a document in the calendar itself: a timer that is never due, in a queue that
 * no program can name, whose key is the name of the queue. So they are in the log, in each backup and in each export.
 *
 * <pre>
 *   start:   revision -> list -> read what is new -> known; nothing is delivered before, and nothing scheduled
 *   change:  read -> write, if nobody else did -> a new revision -> answer        (the revision only where nodes share the calendar)
 *   others:  look at the revision every {@value #LOOK_MS} ms; another one -> list -> read what is new
 * </pre>
 *
 * <p>Who changes something may die before it has written the revision: so all is listed every {@value #LIST_MS} ms, whatever the revision is.
 *
 * Invariants: what is known here was written, as a whole; a change that is answered applies here to all that starts later, and on other nodes within a
 * second, as long as they reach the store. Owned by the loop, but for {@link #configuredOf}, {@link #settingsOf} and {@link #knownSettingsOf}.
 */
public final class QueueBook implements Submissions.Settings {

    /** No document is ever due. No timer of a program can be due then, so that a list of the documents meets nothing else. */
    public static final long NEVER_MS = ScheduleCommand.FARTHEST_DUE_MS;

    private static final Logger LOG = LoggerFactory.getLogger(QueueBook.class);

    /** Its id is another one when settings have changed. No queue has an empty name. */
    private static final TimerKey REVISION = new TimerKey(DocumentQueues.SETTINGS, "");

    private static final long LOOK_MS = 250;
    private static final long LOOK_NANOS = LOOK_MS * 1_000_000;
    private static final long LIST_MS = 10_000;
    private static final long LIST_NANOS = LIST_MS * 1_000_000;
    private static final int READS_AT_ONCE = 64;

    private final Calendar calendar;
    private final Clock clock;
    private final Map<String, QueueSettings> configured;
    private Consumer<String> changed = queue -> {};

    /** Written by the loop. */
    private final Map<String, Document> documents = new ConcurrentHashMap<>();

    /** Written by the loop: what applies to each queue to which something does. */
    private final Map<String, QueueSettings> effective;

    /** Written by the loop. */
    private volatile boolean loaded;

    private @Nullable StoreException unreadable;
    private @Nullable String revision;
    private boolean mustRefresh;
    private @Nullable Refresh refresh;
    private boolean looking;
    private boolean wanted;
    private long lookedAtNanos;
    private long listedAtNanos;

    /** Changes that were taken here: what was listed before one of them does not count. */
    private long takenHere;

    /** What is known of a queue, and the id of the timer that says so. */
    record Document(String id, QueueSettings settings) {}

    /** @param configured what applies where nothing is set */
    public QueueBook(Calendar calendar, Clock clock, Map<String, QueueSettings> configured) {
        this.calendar = calendar;
        this.clock = clock;
        this.configured = Map.copyOf(configured);
        this.effective = new ConcurrentHashMap<>(configured);
        this.lookedAtNanos = clock.monoNanos() - LOOK_NANOS;
    }

    /** Learns who is to be told the name of each queue whose settings are others now. To be called once, before the first turn. */
    public void start(Consumer<String> told) {
        changed = told;
    }

    // ---- any thread may call this

    /** What applies where nothing is set. */
    QueueSettings configuredOf(String queue) {
        return configured.getOrDefault(queue, QueueSettings.NONE);
    }

    /** What applies to a queue. */
    public QueueSettings settingsOf(String queue) {
        return effective.getOrDefault(queue, QueueSettings.NONE);
    }

    /**
     * What applies to a queue, for who cannot wait until that is known.
     *
     * @throws StoreUnavailableException when it is not known yet
     */
    public QueueSettings knownSettingsOf(String queue) {
        if (!loaded && !documents.containsKey(queue)) {
            throw new StoreUnavailableException(
                    "what is set of queue " + queue
                            + " is not known yet, must have been read from the store since the start",
                    false);
        }
        return settingsOf(queue);
    }

    /** The queues of which something is set or configured. */
    Collection<String> names() {
        Set<String> names = new HashSet<>(documents.keySet());
        names.addAll(configured.keySet());
        return names;
    }

    /** How many timers are documents. */
    public int timers() {
        return documents.size() + (revision == null ? 0 : 1);
    }

    // ---- only the loop calls this

    /** Whether it is known what is set: nothing may be delivered before. */
    @Override
    public boolean isLoaded() {
        return loaded;
    }

    @Override
    public void want() {
        wanted = true;
        unreadable = null;
    }

    @Override
    public @Nullable StoreException unreadable() {
        return unreadable;
    }

    /** What is set of each queue, by its name, as it stands now. */
    Set<Map.Entry<String, Document>> documents() {
        return Map.copyOf(documents).entrySet();
    }

    /** Looks for what others have set, when it is time to. */
    public void work() {
        long nowNanos = clock.monoNanos();
        boolean mustLook = !loaded || calendar.isShared();
        boolean isTime = wanted || nowNanos - lookedAtNanos >= LOOK_NANOS;
        if (mustLook && refresh == null && !looking && isTime && calendar.hasRoom()) {
            lookedAtNanos = nowNanos;
            look();
        }
        if (refresh != null) {
            refresh.work();
        }
    }

    /** In how many nanoseconds it must be called again, unless an answer comes before. */
    public long idleNanos(long nowNanos) {
        if (refresh != null || looking || (loaded && !calendar.isShared()) || !calendar.hasRoom()) {
            return Long.MAX_VALUE;
        }
        return wanted ? 0 : Math.max(0, lookedAtNanos + LOOK_NANOS - nowNanos);
    }

    private void look() {
        looking = true;
        wanted = false;
        unreadable = null;
        calendar.find(REVISION, new Answer<>() {

            @Override
            public void accept(List<TimerView> found) {
                looking = false;
                String standing = found.isEmpty() ? null : found.get(0).id();
                boolean isOther = standing != null && !standing.equals(revision);
                boolean isOld = clock.monoNanos() - listedAtNanos >= LIST_NANOS;
                if (!loaded || isOther || mustRefresh || isOld) {
                    mustRefresh = false;
                    listedAtNanos = clock.monoNanos();
                    refresh = new Refresh(standing);
                }
            }

            @Override
            public void fail(StoreException reason) {
                looking = false;
                unreadable = reason;
                // The next look is not far; the store says what it cannot do with other commands too.
                LOG.debug("what is set of queues was not looked at: {}", reason.getMessage());
            }
        });
    }

    private void take(String queue, @Nullable Document document) {
        QueueSettings before = settingsOf(queue);
        if (document == null) {
            documents.remove(queue);
        } else {
            documents.put(queue, document);
        }
        QueueSettings set = document == null ? QueueSettings.NONE : document.settings;
        QueueSettings after = withSlowStartGoingOn(before, set.over(configuredOf(queue)));
        if (after.isEmpty()) {
            effective.remove(queue);
        } else {
            effective.put(queue, after);
        }
        if (!after.equals(before)) {
            changed.accept(queue);
        }
    }

    /** A slow start that is yet to begin on a node whose configuration pauses the queue is not over on one that is in it. */
    private static QueueSettings withSlowStartGoingOn(QueueSettings before, QueueSettings after) {
        SlowStart now = before.slowStart();
        SlowStart waits = after.slowStart();
        if (now == null || waits == null || waits.since() != null || Boolean.TRUE.equals(after.paused())) {
            return after;
        }
        return after.withSlowStart(new SlowStart(waits.perSecond(), now.since()));
    }

    /** Notes what a command of this node has written; null for a document that is gone. */
    void taken(String queue, @Nullable Document document) {
        takenHere++;
        take(queue, document);
    }

    static TimerKey key(String queue) {
        return new TimerKey(DocumentQueues.SETTINGS, queue);
    }

    static TimerKey revisionKey() {
        return REVISION;
    }

    /** One look at all documents. */
    private final class Refresh {

        private final @Nullable String revisionBefore;
        private final long takenBefore = takenHere;
        private final Set<String> listed = new HashSet<>();
        private final ArrayDeque<TimerKey> toRead = new ArrayDeque<>();
        private final Map<String, Document> read = new HashMap<>();
        private final Set<String> gone = new HashSet<>();
        private @Nullable TimerCursor after;
        private boolean isListed;
        private int asked;
        private @Nullable StoreException failure;

        Refresh(@Nullable String revisionBefore) {
            this.revisionBefore = revisionBefore;
        }

        void work() {
            if (asked == 0 && (failure != null || (isListed && toRead.isEmpty()))) {
                end();
                return;
            }
            while (failure == null && asked < READS_AT_ONCE && calendar.hasRoom()) {
                if (!toRead.isEmpty()) {
                    read(toRead.remove());
                } else if (!isListed && asked == 0) {
                    list();
                } else {
                    break;
                }
            }
        }

        private void list() {
            asked++;
            TimerQuery query = TimerQuery.of(DocumentQueues.SETTINGS)
                    .withDue(NEVER_MS, NEVER_MS + 1)
                    .withLimit(TimerQuery.MAX_LIMIT);
            calendar.list(after == null ? query : query.withAfter(after), new Part<TimerPage>() {

                @Override
                void take(TimerPage page) {
                    for (TimerView view : page.timers()) {
                        String queue = view.key().key();
                        Document known = documents.get(queue);
                        boolean isDocument =
                                !view.key().equals(REVISION) && !view.state().isFinished();
                        if (isDocument && listed.add(queue) && (known == null || !known.id.equals(view.id()))) {
                            toRead.add(view.key());
                        }
                    }
                    after = page.next();
                    isListed = after == null;
                    if (isListed) {
                        // One that was written meanwhile may have stood on no page.
                        documents.keySet().stream()
                                .filter(queue -> !listed.contains(queue))
                                .forEach(queue -> toRead.add(key(queue)));
                    }
                }
            });
        }

        private void read(TimerKey key) {
            asked++;
            calendar.read(key, new Part<List<StoredTimer>>() {

                @Override
                void take(List<StoredTimer> found) {
                    Document document = documentOf(found);
                    if (document == null) {
                        gone.add(key.key());
                    } else {
                        Refresh.this.read.put(key.key(), document);
                    }
                }
            });
        }

        private void end() {
            refresh = null;
            if (failure != null) {
                unreadable = failure;
                LOG.warn("what is set of queues could not be read, it is tried again: {}", failure.getMessage());
                return;
            }
            if (takenHere != takenBefore) {
                // What was listed may be older than what was set here.
                mustRefresh = true;
                lookedAtNanos = clock.monoNanos() - LOOK_NANOS;
                return;
            }
            read.forEach(QueueBook.this::take);
            gone.forEach(queue -> take(queue, null));
            revision = revisionBefore;
            loaded = true;
        }

        /** A part of what was asked. */
        private abstract class Part<T> implements Answer<T> {

            abstract void take(T part);

            @Override
            public void accept(T part) {
                asked--;
                take(part);
            }

            @Override
            public void fail(StoreException reason) {
                asked--;
                failure = reason;
            }
        }
    }

    /** The document that was read; null when there is none. */
    static @Nullable Document documentOf(List<StoredTimer> found) {
        return found.isEmpty() || found.get(0).view().state().isFinished() ? null : decoded(found.get(0));
    }

    /** What a document says; one that cannot be read is as if nothing were set but a pause: nothing goes where nobody wants it. */
    private static Document decoded(StoredTimer timer) {
        String id = timer.view().id();
        try {
            return new Document(
                    id,
                    QueueSettingsText.read(TimerContent.decode(timer.content()).payload()));
        } catch (IllegalArgumentException e) {
            LOG.error(
                    "what is set of queue {} cannot be read, it is paused until somebody sets it anew: {}",
                    timer.view().key().key(),
                    e.getMessage());
            return new Document(id, QueueSettings.NONE.withPaused(true));
        }
    }
}
