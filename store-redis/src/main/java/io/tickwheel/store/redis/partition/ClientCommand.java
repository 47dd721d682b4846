package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Durability;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A command of a caller, of any node, on any partition. */
abstract class ClientCommand<T> extends TimerCommand {

    /** The bytes of a seq. */
    private static final int SEQ_BYTES = 7;

    /** Says that an expected seq follows. */
    private static final int EXPECTED = 2;

    final TimerKey key;
    final LoadedTimers timers;
    private final Answer<T> answer;
    private final Runnable ended;

    /** @param ended told when the answer was given */
    ClientCommand(
            TimerKey key,
            byte[] field,
            LoadedTimers timers,
            Durability level,
            long deadlineNanos,
            Answer<T> answer,
            Runnable ended) {
        super(field, level, deadlineNanos);
        this.key = key;
        this.timers = timers;
        this.answer = answer;
        this.ended = ended;
    }

    @Override
    final boolean isOfAClient() {
        return true;
    }

    final void give(T result) {
        answer.accept(result);
        ended.run();
    }

    @Override
    final void failed(StoreException reason) {
        answer.fail(reason);
        ended.run();
    }

    /** Fails as it is meant for another timer than the one that stands there; {@code rest} has that one, or nothing. */
    final void failOther(@Nullable String expectedId, ByteBuffer rest) {
        if (expectedId == null) {
            throw new IllegalStateException("a command for any timer was answered that it is for another one");
        }
        TimerView standing = rest.hasRemaining() ? view(TimerRecord.read(rest)) : null;
        failed(new IdMismatchException(key, expectedId, standing));
    }

    /** Fails as the server has no memory for a timer. */
    final void failFull() {
        String reason = "Redis is full: it has no memory for another timer";
        // An earlier call may have made what there is no memory for now.
        failed(maybeApplied ? new StoreUnavailableException(reason, true) : new StoreFullException(reason));
    }

    /** How many bytes {@link #putExpected} writes. */
    static int expectedBytes(@Nullable String expectedId) {
        return expectedId == null ? 0 : SEQ_BYTES;
    }

    /** Writes the seq of the only timer that it is meant for, unless it is for any. */
    final void putExpected(ByteBuffer out, @Nullable String expectedId) {
        if (expectedId != null) {
            long seq = Layout.seq(expectedId, timers.partition());
            out.put((byte) (seq >> 48)).putShort((short) (seq >> 32)).putInt((int) seq);
        }
    }

    /** For the script: what there is beside what is always there. */
    static byte parts(boolean isFirst, @Nullable String expectedId) {
        return (byte) ((isFirst ? 1 : 0) + (expectedId == null ? 0 : EXPECTED));
    }

    /** Adds the slices that the timer may leave, if it is known here. */
    final void addKnown(Set<String> slices) {
        RedisTimer known = timers.known(field);
        if (known != null) {
            addBoth(slices, known.attemptAtMs);
        }
    }

    /** Notes what it made. The answer to a repeated command is that of the first time: by now something else may stand there. */
    final void stands(TimerRecord standing, int contentBytes) {
        if (maybeApplied) {
            timers.reload();
        } else {
            timers.stands(field, standing, contentBytes);
        }
    }

    final TimerView view(TimerRecord standing) {
        return standing.view(key, timers.partition());
    }

    /** Makes, replaces or keeps a timer. */
    static final class Schedule extends ClientCommand<Scheduled> {

        private final ScheduleCommand wish;
        private final boolean far;
        private final long operation;

        /**
         * @param far whether it lies far ahead, so that its slice is a wide one
         * @param operation by which a repeat of it is known
         */
        Schedule(
                ScheduleCommand wish,
                byte[] field,
                LoadedTimers timers,
                Durability level,
                long deadlineNanos,
                boolean far,
                long operation,
                Answer<Scheduled> answer,
                Runnable ended) {
            super(wish.key(), field, timers, level, deadlineNanos, answer, ended);
            this.wish = wish;
            this.far = far;
            this.operation = operation;
        }

        @Override
        boolean changesForAClient() {
            return true;
        }

        @Override
        boolean takesMemory() {
            return true;
        }

        @Override
        void addSlices(Set<String> slices) {
            slices.add(Layout.slice(far, wish.dueAtMs()));
            addKnown(slices);
        }

        @Override
        char letter() {
            return 'S';
        }

        @Override
        int length() {
            int hash = wish.requestHash() == 0 ? 0 : Long.BYTES;
            return 3
                    + 2 * Long.BYTES
                    + Member.prefix(wish.route()).length
                    + hash
                    + expectedBytes(wish.expectedId())
                    + wish.content().length;
        }

        @Override
        void write(ByteBuffer out) {
            boolean hasHash = wish.requestHash() != 0;
            out.put(rule(wish.onConflict()));
            out.put((byte) (far ? 1 : 0));
            out.putLong(wish.dueAtMs());
            out.putLong(operation);
            out.put(parts(hasHash, wish.expectedId()));
            out.put(Member.prefix(wish.route()));
            if (hasHash) {
                out.putLong(wish.requestHash());
            }
            putExpected(out, wish.expectedId());
            out.put(wish.content());
        }

        private static byte rule(OnConflict onConflict) {
            return (byte)
                    switch (onConflict) {
                        case REPLACE -> 0;
                        case KEEP -> 1;
                        case FAIL -> 2;
                        case EARLIEST -> 3;
                        case LATEST -> 4;
                        case ONCE -> 5;
                    };
        }

        static Scheduled.Previous previous(int number) {
            return switch (number) {
                case 0 -> Scheduled.Previous.NONE;
                case 1 -> Scheduled.Previous.PENDING;
                case 2, 3 -> Scheduled.Previous.CLAIMED;
                case 4 -> Scheduled.Previous.DEAD;
                default -> throw new IllegalStateException("before a timer stood " + number);
            };
        }

        @Override
        void answered(char letter, ByteBuffer rest) {
            if (letter == 'O') {
                failFull();
                return;
            }
            if (letter == 'Y') {
                failOther(wish.expectedId(), rest);
                return;
            }
            Scheduled.Previous previous = previous(rest.get());
            TimerRecord standing = TimerRecord.read(rest);
            Scheduled.Outcome outcome = switch (letter) {
                case 'C' -> Scheduled.Outcome.CREATED;
                case 'R' -> Scheduled.Outcome.REPLACED;
                case 'K' -> Scheduled.Outcome.KEPT;
                case 'F' -> Scheduled.Outcome.CONFLICT;
                default -> throw new IllegalStateException("a schedule was answered " + letter);
            };
            if (letter == 'C' || letter == 'R') {
                stands(standing, wish.content().length);
            }
            give(new Scheduled(outcome, view(standing), previous, standing.requestHash()));
        }
    }

    /** Cancels a timer; an attempt that runs is its last one. */
    static final class Cancel extends ClientCommand<Cancelled> {

        private final @Nullable String expectedId;
        private final long operation;

        /**
         * @param expectedId the id that the timer must have; null for any
         * @param operation by which a repeat of it is known
         */
        Cancel(
                TimerKey key,
                byte[] field,
                @Nullable String expectedId,
                LoadedTimers timers,
                Durability level,
                long deadlineNanos,
                long operation,
                Answer<Cancelled> answer,
                Runnable ended) {
            super(key, field, timers, level, deadlineNanos, answer, ended);
            this.expectedId = expectedId;
            this.operation = operation;
        }

        @Override
        boolean changesForAClient() {
            return true;
        }

        @Override
        int length() {
            return Long.BYTES + expectedBytes(expectedId);
        }

        @Override
        void write(ByteBuffer out) {
            out.putLong(operation);
            putExpected(out, expectedId);
        }

        @Override
        void addSlices(Set<String> slices) {
            addKnown(slices);
        }

        @Override
        char letter() {
            return 'C';
        }

        @Override
        void answered(char letter, ByteBuffer rest) {
            if (letter == 'N') {
                give(new Cancelled(Cancelled.Outcome.NOT_FOUND, null));
                return;
            }
            if (letter == 'Y') {
                failOther(expectedId, rest);
                return;
            }
            TimerRecord standing = TimerRecord.read(rest);
            Cancelled.Outcome outcome = switch (letter) {
                case 'C' -> Cancelled.Outcome.CANCELLED;
                case 'W' -> Cancelled.Outcome.LAST_ATTEMPT_RUNNING;
                case 'L' -> Cancelled.Outcome.TOO_LATE;
                default -> throw new IllegalStateException("a cancel was answered " + letter);
            };
            if (letter == 'C') {
                stands(standing, 0);
            } else if (letter == 'W') {
                timers.cancelled(field, standing.token());
            }
            give(new Cancelled(outcome, view(standing)));
        }
    }

    /** Finds a timer. */
    static final class Find<T> extends ClientCommand<List<T>> {

        /** For a content of which nothing is known: most are shorter, and none is so long that a call is too large with eight of them. */
        private static final int CONTENT_BYTES = 128 << 10;

        private final char letter;
        private final int answerBytes;
        private final BiFunction<TimerView, byte[], T> show;

        private Find(
                char letter,
                int answerBytes,
                BiFunction<TimerView, byte[], T> show,
                TimerKey key,
                byte[] field,
                LoadedTimers timers,
                Durability level,
                long deadlineNanos,
                Answer<List<T>> answer,
                Runnable ended) {
            super(key, field, timers, level, deadlineNanos, answer, ended);
            this.letter = letter;
            this.answerBytes = answerBytes;
            this.show = show;
        }

        static Find<TimerView> light(
                TimerKey key,
                byte[] field,
                LoadedTimers timers,
                Durability level,
                long deadlineNanos,
                Answer<List<TimerView>> answer,
                Runnable ended) {
            return new Find<>('F', 0, (view, none) -> view, key, field, timers, level, deadlineNanos, answer, ended);
        }

        static Find<StoredTimer> withContent(
                TimerKey key,
                byte[] field,
                LoadedTimers timers,
                Durability level,
                long deadlineNanos,
                Answer<List<StoredTimer>> answer,
                Runnable ended) {
            return new Find<>(
                    'Q', CONTENT_BYTES, StoredTimer::new, key, field, timers, level, deadlineNanos, answer, ended);
        }

        @Override
        int answerBytes() {
            return answerBytes;
        }

        @Override
        char letter() {
            return letter;
        }

        @Override
        void answered(char found, ByteBuffer rest) {
            if (found == 'N') {
                give(List.of());
            } else {
                TimerRecord record = TimerRecord.read(rest);
                give(List.of(show.apply(view(record), record.content())));
            }
        }
    }
}
