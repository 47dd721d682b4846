package io.tickwheel.testkit;

import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Counts the changes of a {@link MemoryCalendar}, and keeps answers and claims back until those that they show are durable. */
final class MemoryJournal {

    private final StoreContext context;
    private final ArrayDeque<Owed> owed = new ArrayDeque<>();
    private long changes;
    private volatile long synced;
    private long syncing;
    private boolean giving;
    private @Nullable StoreFailedException failure;

    /** An answer, or a claim, that waits until so many changes are durable. */
    private record Owed(long change, Runnable give, Consumer<StoreFailedException> fail, boolean isAnswer) {}

    MemoryJournal(StoreContext context) {
        this.context = context;
    }

    /** Counts a change; returns its number. */
    long change() {
        checkCaller();
        return ++changes;
    }

    /** How many changes there were. */
    long changes() {
        return changes;
    }

    boolean isDurable(long change) {
        return change <= synced;
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Whether the answer was the failure that there is. */
    boolean refused(Answer<?> answer) {
        if (failure != null) {
            answer.fail(failure);
        }
        return failure != null;
    }

    /** An answer must not call the calendar; a claim may be ended as it is granted. */
    private void checkCaller() {
        if (giving) {
            throw new IllegalStateException("an answer calls the calendar, must leave that for later");
        }
    }

    <T> void answer(long change, Answer<T> answer, T result) {
        checkCaller();
        owed.addLast(new Owed(change, () -> answer.accept(result), answer::fail, true));
    }

    void fail(long change, Answer<?> answer, StoreException reason) {
        owed.addLast(new Owed(change, () -> answer.fail(reason), answer::fail, true));
    }

    /** Has a claim wait, which nobody needs when the calendar fails. */
    void await(long change, Runnable claim) {
        owed.addLast(new Owed(change, claim, failed -> {}, false));
    }

    /** See {@link io.tickwheel.store.Calendar#work}. */
    int work(int limit) {
        if (failure != null) {
            throw failure;
        }
        if (changes > synced && syncing <= synced) {
            long upTo = changes;
            syncing = upTo;
            context.log().execute(() -> {
                synced = upTo;
                context.waker().run();
            });
        }
        int given = 0;
        for (Owed next = owed.peek(); given < limit && next != null && next.change <= synced; next = owed.peek()) {
            owed.remove();
            giving = next.isAnswer;
            next.give.run();
            giving = false;
            given++;
        }
        return given;
    }

    boolean isQuiet() {
        return failure != null || (owed.isEmpty() && changes == synced);
    }

    void fail(Throwable cause) {
        if (failure == null) {
            failure = new StoreFailedException("the store failed: " + cause, false, cause);
            StoreFailedException unknown = new StoreFailedException("the store failed: " + cause, true, cause);
            owed.forEach(waits -> waits.fail.accept(unknown));
            owed.clear();
        }
    }
}
