package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.file.query.AnswerSink;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Answers, and claims, that wait for the log to be synced; given in the order in which they were decided. Contents that were read wait on the heap, which bounds
 * them. Owned by the loop.
 */
final class Answers implements AnswerSink {

    /** How many bytes of contents may wait: a sixteenth of the heap, 1 MiB at least. */
    static final long MOST_CONTENT_BYTES =
            Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 16);

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private long contentBytes;

    private abstract static class Waiting {

        private final long lsn;
        private final int contentBytes;

        Waiting(long lsn, int contentBytes) {
            this.lsn = lsn;
            this.contentBytes = contentBytes;
        }

        abstract void give();

        abstract void fail(StoreException failure);
    }

    private static final class WaitingAnswer<T> extends Waiting {

        private final Answer<T> answer;
        private final T result;

        WaitingAnswer(long lsn, int contentBytes, Answer<T> answer, T result) {
            super(lsn, contentBytes);
            this.answer = answer;
            this.result = result;
        }

        @Override
        void give() {
            answer.accept(result);
        }

        @Override
        void fail(StoreException failure) {
            answer.fail(failure);
        }
    }

    private static final class WaitingRefusal extends Waiting {

        private final Answer<?> answer;
        private final StoreException refusal;

        WaitingRefusal(long lsn, Answer<?> answer, StoreException refusal) {
            super(lsn, 0);
            this.answer = answer;
            this.refusal = refusal;
        }

        @Override
        void give() {
            answer.fail(refusal);
        }

        @Override
        void fail(StoreException failure) {
            answer.fail(failure);
        }
    }

    private static final class WaitingClaim extends Waiting {

        private final Runnable claim;

        WaitingClaim(long lsn, Runnable claim) {
            super(lsn, 0);
            this.claim = claim;
        }

        @Override
        void give() {
            claim.run();
        }

        @Override
        void fail(StoreException failure) {
            // A claim that is not granted is just not granted.
        }
    }

    @Override
    public <T> void add(long lsn, Answer<T> answer, T result) {
        waiting.addLast(new WaitingAnswer<>(lsn, 0, answer, result));
    }

    /** Adds the answer to a look at a timer with its content. */
    void addContent(long lsn, Answer<List<StoredTimer>> answer, StoredTimer read) {
        int bytes = read.content().length;
        contentBytes += bytes;
        waiting.addLast(new WaitingAnswer<>(lsn, bytes, answer, List.of(read)));
    }

    /** Whether there is room for another content. */
    boolean hasRoom() {
        return contentBytes < MOST_CONTENT_BYTES;
    }

    /** Adds the answer that a command was refused for a reason that the store shows. */
    void refuse(long lsn, Answer<?> answer, StoreException refusal) {
        waiting.addLast(new WaitingRefusal(lsn, answer, refusal));
    }

    void add(long lsn, Runnable claim) {
        waiting.addLast(new WaitingClaim(lsn, claim));
    }

    /** Gives at most {@code limit} of those that are durable; returns how many. */
    int give(long syncedLsn, int limit) {
        int given = 0;
        while (given < limit) {
            Waiting next = waiting.peekFirst();
            if (next == null || next.lsn > syncedLsn) {
                break;
            }
            waiting.removeFirst();
            contentBytes -= next.contentBytes;
            next.give();
            given++;
        }
        return given;
    }

    void failAll(StoreException failure) {
        while (!waiting.isEmpty()) {
            waiting.removeFirst().fail(failure);
        }
        contentBytes = 0;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }
}
