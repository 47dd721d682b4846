package io.tickwheel.engine.inbox;

import io.tickwheel.engine.ContendedException;
import io.tickwheel.engine.NotTouchableException;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A command that depends on the timer that stands under its key: it looks at the timer, then does what that calls for, on condition that the timer is
 * as it was seen. When another has changed it meanwhile, as another node may, it starts again. Owned by the loop.
 *
 * <pre>
 *   look -> calendar.read -> plan -> calendar.change or schedule, for the timer that was seen -> answer
 *    ^                                  |
 *    '---- changed meanwhile -----------'   at most {@value #MOST_LOOKS} times
 * </pre>
 */
public final class LookedAt<T> extends Inbox.Command {

    /** Far more often than other nodes come in between, when they touch one timer for each of many messages. */
    static final int MOST_LOOKS = 16;

    /** What a command does about the timer that stands there. */
    public interface Plan<T> {

        /** Which timer the command is meant for; null for whichever stands there. */
        @Nullable
        String expectedId();

        /**
         * Makes the second call of the calendar.
         *
         * @param standing the one that is expected; null when none is, and none is known
         * @throws IllegalArgumentException when the time that comes of it is out of range
         * @throws NotTouchableException when the timer cannot be pushed back
         */
        Consumer<Answer<T>> of(@Nullable StoredTimer standing);

        /** Whether an answer to that call says that the timer was not as it had been seen. */
        default boolean isOvertaken(T answer) {
            return false;
        }

        /** Whether what is set of its queue matters, so that it cannot be decided before that is known. */
        default boolean needsSettings() {
            return false;
        }
    }

    /** Who waits for the answer. */
    interface Asker<T> extends Answer<T> {

        /** The command has looked at a timer with a content of so many bytes. */
        void hasSeen(int contentBytes);

        /** The command has made its call, of which it waits for the answer; of what it has seen it has no more than the call has. */
        void hasCalled();

        /** The command was overtaken, and is to be decided once more when there is room for what it sees then. */
        void lookAgain();

        /** Nothing was done, for a reason that is not of the store. */
        void refuse(RuntimeException reason);
    }

    private final Calendar calendar;
    private final Inbox inbox;
    private final TimerKey key;
    private final Plan<T> plan;
    private final Asker<T> asker;
    private int looks;
    private boolean hasLooked;
    private @Nullable StoredTimer standing;

    LookedAt(Calendar calendar, Inbox inbox, TimerKey key, Plan<T> plan, Asker<T> asker) {
        this.calendar = calendar;
        this.inbox = inbox;
        this.key = key;
        this.plan = plan;
        this.asker = asker;
    }

    /** Takes the next step: answers must not call the calendar. */
    @Override
    public void decide() {
        if (!hasLooked) {
            calendar.read(key, new Look());
            return;
        }
        // Not to be kept until the change is answered: it may be large.
        StoredTimer seen = standing;
        standing = null;
        Consumer<Answer<T>> call;
        try {
            requireExpected(seen);
            call = plan.of(seen);
        } catch (IllegalArgumentException | NotTouchableException | StoreException e) {
            asker.refuse(e);
            return;
        }
        call.accept(new Change());
        asker.hasCalled();
    }

    private void requireExpected(@Nullable StoredTimer seen) {
        String expected = plan.expectedId();
        TimerView timer = seen == null ? null : seen.view();
        if (expected != null && (timer == null || !timer.id().equals(expected))) {
            throw new IdMismatchException(key, expected, timer);
        }
    }

    @Override
    public void refuse(RuntimeException reason) {
        asker.refuse(reason);
    }

    private void startAgain() {
        if (looks == MOST_LOOKS) {
            asker.refuse(new ContendedException(key, MOST_LOOKS));
            return;
        }
        hasLooked = false;
        asker.lookAgain();
    }

    private final class Look implements Answer<List<StoredTimer>> {

        @Override
        public void accept(List<StoredTimer> found) {
            looks++;
            hasLooked = true;
            standing = found.isEmpty() ? null : found.get(0);
            asker.hasSeen(standing == null ? 0 : standing.content().length);
            inbox.again(LookedAt.this);
        }

        @Override
        public void fail(StoreException reason) {
            asker.fail(Answers.notApplied(reason));
        }
    }

    private final class Change implements Answer<T> {

        @Override
        public void accept(T result) {
            if (plan.isOvertaken(result)) {
                startAgain();
            } else {
                asker.accept(result);
            }
        }

        @Override
        public void fail(StoreException reason) {
            if (reason instanceof IdMismatchException) {
                startAgain();
            } else {
                asker.fail(reason);
            }
        }
    }
}
