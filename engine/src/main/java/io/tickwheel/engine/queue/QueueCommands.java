package io.tickwheel.engine.queue;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueChangedException;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QueueView;
import io.tickwheel.engine.SigningSecrets;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.inbox.Answers;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.rule.DocumentQueues;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Durability;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the documents of the {@link QueueBook}. A change looks at the document, writes another one in its place if nobody else has, and begins anew
 * if somebody has; where nodes share the calendar it writes a new revision then, so that they look. Each step but the first is a note, as an answer must not call the
 * calendar. Owned by the loop.
 */
public final class QueueCommands {

    private static final int MOST_ROUNDS = 20;

    private final Calendar calendar;
    private final Clock clock;
    private final QueueBook book;
    private final Inbox inbox;
    private boolean isSettled;

    public QueueCommands(Calendar calendar, Clock clock, QueueBook book, Inbox inbox) {
        this.calendar = calendar;
        this.clock = clock;
        this.book = book;
        this.inbox = inbox;
    }

    /** The counts of all queues that have timers, or of which something is set, by name. */
    public void counts(Answer<List<QueueCounts>> answer) {
        calendar.queues(then(answer, counts -> {
            Map<String, QueueCounts> byName = new TreeMap<>();
            book.names().forEach(queue -> byName.put(queue, new QueueCounts(queue, 0, 0, 0)));
            counts.forEach(each -> byName.put(each.queue(), each));
            byName.remove(DocumentQueues.SETTINGS);
            byName.remove(DocumentQueues.BULKS);
            byName.remove(DocumentQueues.PROGRAM);
            answer.accept(new ArrayList<>(byName.values()));
        }));
    }

    /** What is known of a queue; an empty answer for one that has never had a timer, and of which nothing is set. */
    public void view(String queue, Answer<Optional<QueueView>> answer) {
        read(queue, answer, document -> viewOf(queue, document, answer, answer::accept));
    }

    private void viewOf(
            String queue,
            QueueBook.@Nullable Document document,
            Answer<?> failing,
            Consumer<Optional<QueueView>> then) {
        calendar.queues(then(failing, counts -> {
            Optional<QueueCounts> known =
                    counts.stream().filter(each -> each.queue().equals(queue)).findFirst();
            QueueSettings configured = book.configuredOf(queue);
            boolean isKnown = known.isPresent() || document != null || !configured.isEmpty();
            QueueView view = new QueueView(
                    queue,
                    document == null ? QueueSettings.NONE : document.settings(),
                    configured,
                    document == null ? null : document.id(),
                    known.orElseGet(() -> new QueueCounts(queue, 0, 0, 0)));
            then.accept(isKnown ? Optional.of(view) : Optional.empty());
        }));
    }

    private void read(String queue, Answer<?> failing, Consumer<QueueBook.@Nullable Document> then) {
        calendar.read(
                QueueBook.key(queue), then(notAppliedTo(failing), found -> then.accept(QueueBook.documentOf(found))));
    }

    public void change(String queue, QueueChange change, CommandOptions options, Answer<QueueView> answer) {
        change(queue, change, options, answer, MOST_ROUNDS);
    }

    private void change(
            String queue, QueueChange change, CommandOptions options, Answer<QueueView> answer, int roundsLeft) {
        read(queue, answer, standing -> {
            if (isRefused(queue, options, standing, answer)) {
                return;
            }
            QueueSettings before = standing == null ? QueueSettings.NONE : standing.settings();
            QueueSettings after = begun(queue, change.applyTo(before));
            String expected = standing == null ? null : standing.id();
            ScheduleCommand command = document(QueueBook.key(queue), after, expected, options.durability());
            Runnable again = again(queue, answer, roundsLeft, left -> change(queue, change, options, answer, left));
            calendar.schedule(command, then(orAgain(answer, again), scheduled -> {
                if (scheduled.outcome() == Scheduled.Outcome.CONFLICT) {
                    again.run();
                    return;
                }
                QueueBook.Document document =
                        new QueueBook.Document(scheduled.timer().id(), after);
                book.taken(queue, document);
                Answer<QueueView> written = appliedTo(answer);
                tellOthers(written, () -> viewOf(queue, document, written, view -> answer.accept(view.orElseThrow())));
            }));
        });
    }

    /** What somebody else has changed since the look is looked at again. */
    private static Runnable again(String queue, Answer<?> failing, int roundsLeft, IntConsumer next) {
        return () -> {
            if (roundsLeft == 1) {
                failing.fail(new StoreUnavailableException(
                        "the settings of queue " + queue + " were changed by others " + MOST_ROUNDS
                                + " times meanwhile",
                        false));
            } else {
                next.accept(roundsLeft - 1);
            }
        };
    }

    /**
     * Puts right what a restart has changed of pauses, as those of the configuration are not in the store: a slow start begins when such a pause has ended, and is yet
     * to begin when there is one now. Does so once, and is to be called before anything starts.
     */
    public void settle() {
        if (isSettled) {
            return;
        }
        isSettled = true;
        for (Map.Entry<String, QueueBook.Document> each : book.documents()) {
            String queue = each.getKey();
            QueueSettings set = each.getValue().settings();
            QueueSettings after = begun(queue, set);
            if (!after.equals(set)) {
                // Here it applies at once, and is written so that the next restart does not begin it anew.
                book.taken(queue, new QueueBook.Document(each.getValue().id(), after));
                change(queue, QueueChange.set(QueueSettings.NONE), CommandOptions.NONE, Answers.ignored());
            }
        }
    }

    /** A slow start that was asked for begins now, or when the pause ends that there is, and secrets are those from now on. */
    private QueueSettings begun(String queue, QueueSettings after) {
        Instant now = Instant.ofEpochMilli(clock.wallMs());
        QueueSettings begun = after;
        SlowStart slow = after.slowStart();
        if (slow != null && isPaused(queue, after)) {
            begun = begun.withSlowStart(SlowStart.of(slow.perSecond()));
        } else if (slow != null && slow.since() == null) {
            begun = begun.withSlowStart(new SlowStart(slow.perSecond(), now));
        }
        SigningSecrets secrets = begun.secrets();
        return secrets == null || secrets.since() != null ? begun : begun.withSecrets(secrets.since(now));
    }

    private boolean isPaused(String queue, QueueSettings settings) {
        return Boolean.TRUE.equals(settings.over(book.configuredOf(queue)).paused());
    }

    private static boolean isRefused(
            String queue, CommandOptions options, QueueBook.@Nullable Document standing, Answer<?> answer) {
        String expected = options.expectedId();
        if (expected == null || (standing != null && standing.id().equals(expected))) {
            return false;
        }
        answer.fail(new QueueChangedException(queue, expected, standing == null ? null : standing.id()));
        return true;
    }

    private static ScheduleCommand document(
            TimerKey key, QueueSettings settings, @Nullable String expectedId, @Nullable Durability durability) {
        byte[] content = TimerContent.EMPTY
                .withPayload(QueueSettingsText.write(settings), "text/plain")
                .encode();
        OnConflict rule = expectedId == null ? OnConflict.FAIL : OnConflict.REPLACE;
        return new ScheduleCommand(key, QueueBook.NEVER_MS, content, Lane.QUEUE_ROUTE, rule, 0, expectedId, durability);
    }

    /** Removes what is set of a queue; the answer says whether something was. */
    public void forget(String queue, CommandOptions options, Answer<Boolean> answer) {
        forget(queue, options, answer, MOST_ROUNDS);
    }

    private void forget(String queue, CommandOptions options, Answer<Boolean> answer, int roundsLeft) {
        read(queue, answer, standing -> {
            if (isRefused(queue, options, standing, answer)) {
                return;
            }
            if (standing == null) {
                answer.accept(false);
                return;
            }
            Runnable again = again(queue, answer, roundsLeft, left -> forget(queue, options, answer, left));
            Answer<Cancelled> forgotten = then(orAgain(answer, again), cancelled -> {
                book.taken(queue, null);
                tellOthers(appliedTo(answer), () -> answer.accept(true));
            });
            calendar.cancel(QueueBook.key(queue), standing.id(), options.durability(), forgotten);
        });
    }

    private void tellOthers(Answer<?> failing, Runnable then) {
        if (!calendar.isShared()) {
            then.run();
            return;
        }
        ScheduleCommand revision = new ScheduleCommand(
                QueueBook.revisionKey(), QueueBook.NEVER_MS, TimerContent.EMPTY.encode(), OnConflict.REPLACE, 0);
        calendar.schedule(revision, then(failing, written -> then.run()));
    }

    /** Has an answer fail as one to a command that has not changed anything. */
    private static <T> Answer<T> notAppliedTo(Answer<T> answer) {
        return failing(answer, Answers::notApplied);
    }

    /** Has an answer fail as one to a command that may have changed what it is to change, though not all nodes may know. */
    private static <T> Answer<T> appliedTo(Answer<T> answer) {
        return failing(answer, Answers::perhapsApplied);
    }

    /** Begins again, in a note, where the document is not the one that was seen. */
    private <T> Answer<T> orAgain(Answer<T> answer, Runnable again) {
        return new Answer<>() {

            @Override
            public void accept(T given) {
                answer.accept(given);
            }

            @Override
            public void fail(StoreException reason) {
                if (reason instanceof IdMismatchException) {
                    inbox.note(again);
                } else {
                    answer.fail(reason);
                }
            }
        };
    }

    private static <T> Answer<T> failing(Answer<T> answer, UnaryOperator<StoreException> reasons) {
        return new Answer<>() {

            @Override
            public void accept(T given) {
                answer.accept(given);
            }

            @Override
            public void fail(StoreException reason) {
                answer.fail(reasons.apply(reason));
            }
        };
    }

    /** Goes on with an answer in a note, or has another one fail as it did. */
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
