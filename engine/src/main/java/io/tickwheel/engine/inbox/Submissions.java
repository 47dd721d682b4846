package io.tickwheel.engine.inbox;

import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.OverloadedException;
import io.tickwheel.engine.WhenFull;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.TimerKey;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The way of commands to the loop and of their answers back: room in the {@link Inbox}, the turn of their key, and their futures. Any thread may submit; the loop
 * decides.
 */
public final class Submissions {

    /** For a content of which nothing is known; few are larger. */
    public static final int CONTENT_BYTES = 1 << 20;

    private final Calendar calendar;
    private final Inbox inbox;
    private final KeyTurns turns;
    private final Replies replies;
    private final ContentRoom contents;
    private final EngineListener listener;
    private final WhenFull whenFull;
    private final Settings settings;

    /** Owned by the loop: those that wait until there is room for contents. */
    private final ArrayDeque<Large<?>> waiting = new ArrayDeque<>();

    /** Owned by the loop: those that wait until what is set of queues is known. */
    private final ArrayDeque<Request<?>> unsettled = new ArrayDeque<>();

    /** Whether it is known what is set of queues, which takes a while after an opening. */
    public interface Settings {

        boolean isLoaded();

        /** Somebody waits for it: it is looked at without a pause, so that none is refused for what a look before it has met. */
        void want();

        /** Why it is not known, when the last look has failed; null while one goes on, or is wanted. */
        @Nullable
        StoreException unreadable();
    }

    public Submissions(
            Calendar calendar,
            Inbox inbox,
            Replies replies,
            ContentRoom contents,
            EngineListener listener,
            WhenFull whenFull,
            Settings settings) {
        this.calendar = calendar;
        this.inbox = inbox;
        this.turns = new KeyTurns(inbox);
        this.replies = replies;
        this.contents = contents;
        this.listener = listener;
        this.whenFull = whenFull;
        this.settings = settings;
    }

    /** Submits a command that looks at its timer; it waits, as a question does, while callers and other commands have much of other contents. */
    public <T> CompletableFuture<T> submit(int needed, LookedAt.Plan<T> plan, TimerKey key, Consumer<T> told) {
        return submit(new Looking<>(bytes(needed), key, false, plan, told));
    }

    /** As {@link #submit(int, LookedAt.Plan, TimerKey, Consumer)}, of a command that has the content of its timer until it is answered. */
    public <T> CompletableFuture<T> submitKeeping(int needed, LookedAt.Plan<T> plan, TimerKey key, Consumer<T> told) {
        return submit(new Looking<>(bytes(needed), key, true, plan, told));
    }

    /**
     * Submits a command of one call of the calendar.
     *
     * @param key of the one timer that it is about; null for a question about many
     */
    public <T> CompletableFuture<T> submit(
            int needed, @Nullable TimerKey key, Consumer<Answer<T>> call, Consumer<T> told) {
        return submit(new Direct<>(bytes(needed), key, false, () -> false, call, told));
    }

    /**
     * Submits a command to which it matters what is set of queues; it waits until that is known.
     *
     * @param key of the one timer that it is about; null for a question about many
     * @param mayTakeSeveral whether it may be several calls of the calendar, after which the next command on the key has its turn
     */
    public <T> CompletableFuture<T> submitWithSettings(
            int needed,
            @Nullable TimerKey key,
            BooleanSupplier mayTakeSeveral,
            Consumer<Answer<T>> call,
            Consumer<T> told) {
        return submit(new Direct<>(bytes(needed), key, true, mayTakeSeveral, call, told));
    }

    /**
     * Submits a question whose answer may be large; it waits while callers have much of other answers to take.
     *
     * @param expectedBytes what the answer may have
     * @param size what it has
     */
    public <T> CompletableFuture<T> read(
            int needed, @Nullable TimerKey key, int expectedBytes, Consumer<Answer<T>> call, ToIntFunction<T> size) {
        return submit(new Reading<>(bytes(needed), key, expectedBytes, call, size));
    }

    /** Has those that wait decided in this turn, as far as they may be now. Only the loop calls this, as the two below. */
    public void work() {
        StoreException unreadable = settings.unreadable();
        if (settings.isLoaded()) {
            unsettled.forEach(inbox::again);
            unsettled.clear();
        } else if (unreadable != null) {
            StoreException reason = Answers.notApplied(unreadable);
            List<Request<?>> refused = List.copyOf(unsettled);
            unsettled.clear();
            refused.forEach(request -> request.fail(reason));
        }
        while (!waiting.isEmpty() && contents.hasRoom()) {
            Large<?> next = waiting.remove();
            next.admit();
            inbox.again(next);
        }
    }

    /** Has all that wait taken, so that they can be refused where nothing is decided any more. */
    public void giveUp() {
        waiting.forEach(inbox::again);
        waiting.clear();
        unsettled.forEach(inbox::again);
        unsettled.clear();
    }

    /** Whether none waits. */
    public boolean isQuiet() {
        return waiting.isEmpty() && unsettled.isEmpty();
    }

    private static int bytes(int needed) {
        return Math.min(needed, Inbox.MAX_BYTES);
    }

    private <T> CompletableFuture<T> submit(Request<T> request) {
        int bytes = request.bytes;
        if (whenFull == WhenFull.BLOCK && replies.areBeingCompletedHere()) {
            // What has room may be waiting until this thread goes on.
            inbox.overdrawRoom(bytes);
        } else if (whenFull == WhenFull.BLOCK) {
            inbox.awaitRoom(bytes);
        } else if (!inbox.tryRoom(bytes)) {
            return CompletableFuture.failedFuture(
                    new OverloadedException(Inbox.MAX_BYTES + " bytes of commands wait for their answers"));
        }
        if (!inbox.offer(request)) {
            inbox.free(bytes);
            return CompletableFuture.failedFuture(new IllegalStateException("the engine is closed"));
        }
        return request.future;
    }

    /** A command and its way back. */
    private abstract class Request<T> extends Inbox.Command implements Answer<T>, Runnable {

        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final int bytes;
        private final @Nullable TimerKey key;
        private final boolean needsSettings;
        private final Consumer<T> told;
        private @Nullable T result;
        private @Nullable RuntimeException failure;
        private boolean isAnswered;

        Request(int bytes, @Nullable TimerKey key, boolean needsSettings, Consumer<T> told) {
            this.bytes = bytes;
            this.key = key;
            this.needsSettings = needsSettings;
            this.told = told;
        }

        @Override
        public final void decide() {
            if (key != null && turns.mustWait(key, this)) {
                return;
            }
            if (!needsSettings || settings.isLoaded()) {
                begin();
                return;
            }
            if (key != null) {
                turns.hold(key, this);
            }
            unsettled.add(this);
            settings.want();
        }

        abstract void begin();

        @Override
        public void accept(T given) {
            told.accept(given);
            result = given;
            reply();
        }

        @Override
        public void fail(StoreException reason) {
            if (reason instanceof StoreFullException full) {
                listener.refused(full);
            }
            refuse(reason);
        }

        @Override
        public final void refuse(RuntimeException reason) {
            failure = reason;
            reply();
        }

        private void reply() {
            assert !isAnswered : "answered twice";
            isAnswered = true;
            inbox.answered(bytes);
            replies.add(this);
            passOn();
        }

        /** Lets the next command on the key go on. */
        final void passOn() {
            if (key != null) {
                turns.passOn(key, this);
            }
        }

        /** Completes the future, away from the loop. */
        @Override
        public void run() {
            if (failure != null) {
                future.completeExceptionally(failure);
            } else {
                future.complete(result);
            }
        }
    }

    /** A command that is one call of the calendar, unless it says that there may be several. */
    private final class Direct<T> extends Request<T> {

        private final @Nullable TimerKey key;
        private final BooleanSupplier mayTakeSeveral;
        private final Consumer<Answer<T>> call;

        Direct(
                int bytes,
                @Nullable TimerKey key,
                boolean needsSettings,
                BooleanSupplier mayTakeSeveral,
                Consumer<Answer<T>> call,
                Consumer<T> told) {
            super(bytes, key, needsSettings, told);
            this.key = key;
            this.mayTakeSeveral = mayTakeSeveral;
            this.call = call;
        }

        @Override
        void begin() {
            if (key != null && mayTakeSeveral.getAsBoolean()) {
                turns.hold(key, this);
                call.accept(this);
            } else {
                call.accept(this);
                passOn();
            }
        }
    }

    /** What has a content on the heap, until whoever asked has its answer at most: nobody knows before how large it is. */
    private abstract class Large<T> extends Request<T> {

        private final @Nullable TimerKey key;
        private final int expectedBytes;

        private boolean isAdmitted;

        private boolean isExpected;
        private int keptBytes;

        /** @param expectedBytes what the content may have */
        Large(int bytes, @Nullable TimerKey key, int expectedBytes, boolean needsSettings, Consumer<T> told) {
            super(bytes, key, needsSettings, told);
            this.key = key;
            this.expectedBytes = expectedBytes;
        }

        @Override
        final void begin() {
            if (!isAdmitted && waiting.isEmpty() && contents.hasRoom()) {
                admit();
            }
            if (isAdmitted) {
                beginAdmitted();
                return;
            }
            if (key != null) {
                turns.hold(key, this);
            }
            waiting.add(this);
        }

        final void admit() {
            isAdmitted = true;
            isExpected = true;
            contents.expect(expectedBytes);
        }

        abstract void beginAdmitted();

        /** Notes what the content has, which it keeps from now on. */
        final void keep(int contentBytes) {
            contents.give(contentBytes);
            keptBytes = contentBytes;
            expectNoMore();
        }

        /** Notes that it has that content no more. */
        final void forget() {
            contents.take(keptBytes);
            keptBytes = 0;
        }

        /** Has it wait for room as if it came now. */
        final void admitAgain() {
            isAdmitted = false;
            inbox.again(this);
        }

        private void expectNoMore() {
            if (isExpected) {
                isExpected = false;
                contents.expectNoMore(expectedBytes);
            }
        }

        @Override
        public void fail(StoreException reason) {
            expectNoMore();
            super.fail(reason);
        }

        /** Whoever asked has worked on the answer by then, or keeps it on an account of its own. */
        @Override
        public void run() {
            super.run();
            if (keptBytes > 0) {
                contents.take(keptBytes);
            }
        }
    }

    /** A question whose answer may be large. */
    private final class Reading<T> extends Large<T> {

        private final Consumer<Answer<T>> call;
        private final ToIntFunction<T> size;

        Reading(int bytes, @Nullable TimerKey key, int expectedBytes, Consumer<Answer<T>> call, ToIntFunction<T> size) {
            super(bytes, key, expectedBytes, false, found -> {});
            this.call = call;
            this.size = size;
        }

        @Override
        void beginAdmitted() {
            call.accept(this);
            passOn();
        }

        @Override
        public void accept(T found) {
            keep(size.applyAsInt(found));
            super.accept(found);
        }
    }

    /** A command that looks at its timer first. */
    private final class Looking<T> extends Large<T> implements LookedAt.Asker<T> {

        private final TimerKey key;
        private final boolean isKept;
        private final LookedAt<T> looking;

        Looking(int bytes, TimerKey key, boolean isKept, LookedAt.Plan<T> plan, Consumer<T> told) {
            super(bytes, key, CONTENT_BYTES, plan.needsSettings(), told);
            this.key = key;
            this.isKept = isKept;
            this.looking = new LookedAt<>(calendar, inbox, key, plan, this);
        }

        @Override
        void beginAdmitted() {
            turns.hold(key, this);
            looking.decide();
        }

        @Override
        public void hasSeen(int contentBytes) {
            keep(contentBytes);
        }

        @Override
        public void hasCalled() {
            if (!isKept) {
                forget();
            }
        }

        @Override
        public void lookAgain() {
            forget();
            admitAgain();
        }
    }
}
