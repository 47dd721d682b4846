package io.tickwheel.store.redis.partition;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command on a claim: of the node that delivers. */
abstract class ClaimCommand extends TimerCommand {

    /** The size of a content that was not asked for. */
    private static final int UNKNOWN_BYTES = -1;

    private static final byte[] NOTHING = {};

    final LoadedTimers timers;

    ClaimCommand(LoadedTimers timers, byte[] field, Durability level, long deadlineNanos) {
        super(field, level, deadlineNanos);
        this.timers = timers;
    }

    @Override
    void failed(StoreException reason) {
        timers.warn(field, reason.getMessage() + "; it is delivered again");
    }

    /** An attempt that ends, as the fields that it is in a record: nothing when it is not to be remembered. */
    private static byte[] encoded(@Nullable PastAttempt past) {
        return past == null ? NOTHING : past.encodePieces(TimerRecord.PAST);
    }

    /** Asks for an attempt. */
    static final class Claim extends ClaimCommand {

        private final RedisTimer timer;
        private final long token;
        private final Consumer<ClaimedTimer> granted;
        private long sentNanos;

        Claim(LoadedTimers timers, RedisTimer timer, long token, Durability level, Consumer<ClaimedTimer> granted) {
            // As long as the timer is loaded here, somebody has to claim it.
            super(timers, timer.field, level, Long.MAX_VALUE);
            this.timer = timer;
            this.token = token;
            this.granted = granted;
        }

        @Override
        boolean isWanted() {
            return timer.state == RedisTimer.State.LOADED;
        }

        @Override
        void dropped() {
            if (maybeApplied) {
                timers.giveBackUnused(timer, token);
            }
        }

        /** Else it would hold again what was given back since, and nobody would know. */
        @Override
        boolean mustNotComeLate() {
            return true;
        }

        @Override
        int answerBytes() {
            return timer.contentBytes;
        }

        @Override
        void addSlices(Set<String> slices) {
            addBoth(slices, timer.attemptAtMs);
        }

        @Override
        char letter() {
            return 'L';
        }

        @Override
        int length() {
            return 2 * Long.BYTES;
        }

        @Override
        void write(ByteBuffer out) {
            sentNanos = timers.nowNanos();
            out.putLong(timer.attemptAtMs).putLong(token);
        }

        @Override
        void answered(char letter, ByteBuffer rest) {
            switch (letter) {
                case 'G' -> {
                    TimerRecord record = TimerRecord.read(rest);
                    timers.granted(timer, token, sentNanos, record, granted);
                }
                case 'E' -> {
                    TimerRecord standing = TimerRecord.read(rest);
                    boolean isSame = standing.attemptAtMs() == timer.attemptAtMs;
                    if (isWanted() && isSame) {
                        // Its time has come here and not there yet.
                        timers.tryAgainWhenDue(this, timer.attemptAtMs);
                    } else {
                        timers.stands(field, standing, UNKNOWN_BYTES);
                    }
                }
                case 'N' -> timers.unload(timer);
                case 'X' -> timers.lost();
                default -> throw new IllegalStateException("a claim was answered " + letter);
            }
        }
    }

    /** Ends a claim for good. */
    static final class Finish extends ClaimCommand {

        private final long token;
        private final TimerState outcome;
        private final byte[] past;
        private final Consumer<Boolean> counted;

        /**
         * @param past the attempt that ends; null when it is not to be remembered
         * @param counted told whether the outcome counts
         */
        Finish(
                LoadedTimers timers,
                RedisTimer timer,
                TimerState outcome,
                @Nullable PastAttempt past,
                Durability level,
                long deadlineNanos,
                Consumer<Boolean> counted) {
            super(timers, timer.field, level, deadlineNanos);
            this.token = timer.token;
            this.outcome = outcome;
            this.past = encoded(past);
            this.counted = counted;
        }

        @Override
        char letter() {
            return 'D';
        }

        @Override
        int length() {
            return Long.BYTES + 1 + past.length;
        }

        @Override
        void write(ByteBuffer out) {
            out.putLong(token).put(state()).put(past);
        }

        private byte state() {
            return switch (outcome) {
                case COMPLETED -> 2;
                case DEAD -> 4;
                case EXPIRED -> 5;
                case PENDING, CLAIMED, CANCELLED ->
                    throw new IllegalArgumentException("a claim does not end " + outcome);
            };
        }

        /** When a reply was lost, what stands there says whether the end was carried out. */
        @Override
        void answered(char letter, ByteBuffer rest) {
            counted.accept(letter == 'D' || (maybeApplied && rest.hasRemaining() && rest.get() == state()));
            if (letter == 'S' && !maybeApplied) {
                timers.say(
                        field,
                        "it does not end " + outcome + ", as it was cancelled or replaced, or its claim had run out");
            }
        }

        @Override
        void failed(StoreException reason) {
            super.failed(reason);
            counted.accept(false);
        }

        @Override
        void forgotten() {
            counted.accept(false);
        }
    }

    /** Ends a claim with a further attempt, or without one that counts. */
    static final class GiveBack extends ClaimCommand {

        private final char letter;
        private final RedisTimer timer;
        private final long token;
        private final Set<String> slices = new LinkedHashSet<>();
        private final byte[] rest;

        /**
         * A further attempt.
         *
         * @param past the one that ends; null when it is not to be remembered
         */
        static GiveBack retry(
                LoadedTimers timers,
                RedisTimer timer,
                boolean far,
                long attemptAtMs,
                @Nullable PastAttempt past,
                Durability level,
                long deadlineNanos) {
            return again('T', timers, timer, far, attemptAtMs, encoded(past), level, deadlineNanos);
        }

        /** A further attempt in the place of this one, which does not count. */
        static GiveBack postpone(
                LoadedTimers timers,
                RedisTimer timer,
                boolean far,
                long attemptAtMs,
                Durability level,
                long deadlineNanos) {
            return again('P', timers, timer, far, attemptAtMs, NOTHING, level, deadlineNanos);
        }

        private static GiveBack again(
                char letter,
                LoadedTimers timers,
                RedisTimer timer,
                boolean far,
                long attemptAtMs,
                byte[] past,
                Durability level,
                long deadlineNanos) {
            byte[] rest = ByteBuffer.allocate(1 + Long.BYTES + past.length)
                    .put((byte) (far ? 1 : 0))
                    .putLong(attemptAtMs)
                    .put(past)
                    .array();
            GiveBack again = new GiveBack(letter, timers, timer, rest, level, deadlineNanos);
            again.slices.add(Layout.slice(far, attemptAtMs));
            return again;
        }

        /** As if there had been no claim. */
        static GiveBack release(LoadedTimers timers, RedisTimer timer, Durability level, long deadlineNanos) {
            return unused('U', timers, timer, NOTHING, level, deadlineNanos);
        }

        /** As if there had been no claim, and along another route. */
        static GiveBack reroute(
                LoadedTimers timers, RedisTimer timer, long route, Durability level, long deadlineNanos) {
            return unused('O', timers, timer, Member.prefix(route), level, deadlineNanos);
        }

        private static GiveBack unused(
                char letter, LoadedTimers timers, RedisTimer timer, byte[] rest, Durability level, long deadlineNanos) {
            GiveBack unused = new GiveBack(letter, timers, timer, rest, level, deadlineNanos);
            addBoth(unused.slices, timer.attemptAtMs);
            return unused;
        }

        private GiveBack(
                char letter, LoadedTimers timers, RedisTimer timer, byte[] rest, Durability level, long deadlineNanos) {
            super(timers, timer.field, level, deadlineNanos);
            this.letter = letter;
            this.timer = timer;
            this.token = timer.token;
            this.rest = rest;
        }

        /** It is the last word on a claim of which it is not known whether it was carried out. */
        @Override
        boolean mustNotComeLate() {
            return true;
        }

        @Override
        void addSlices(Set<String> all) {
            all.addAll(slices);
        }

        @Override
        char letter() {
            return letter;
        }

        @Override
        int length() {
            return Long.BYTES + rest.length;
        }

        @Override
        void write(ByteBuffer out) {
            out.putLong(token).put(rest);
        }

        @Override
        void answered(char answer, ByteBuffer standing) {
            if (answer == 'D') {
                TimerRecord record = TimerRecord.read(standing);
                if (letter == 'U') {
                    timers.back(timer, record);
                } else {
                    timers.stands(field, record, timer.contentBytes);
                }
            }
        }
    }

    /** Makes a claim hold longer, as its attempt still runs. */
    static final class Extend extends ClaimCommand {

        private final RedisTimer timer;
        private final long sentNanos;

        Extend(LoadedTimers timers, RedisTimer timer, long nowNanos, Durability level, long deadlineNanos) {
            super(timers, timer.field, level, deadlineNanos);
            this.timer = timer;
            this.sentNanos = nowNanos;
        }

        @Override
        boolean isWanted() {
            return timer.state == RedisTimer.State.CLAIMED;
        }

        @Override
        char letter() {
            return 'X';
        }

        @Override
        int length() {
            return Long.BYTES;
        }

        @Override
        void write(ByteBuffer out) {
            out.putLong(timer.token);
        }

        @Override
        void answered(char letter, ByteBuffer rest) {
            if (letter == 'D') {
                timer.heldNanos = sentNanos;
            } else if (isWanted() && !timer.replaced) {
                timers.say(field, "its claim had run out while its attempt was running");
                timer.replaced = true;
            }
        }

        @Override
        void failed(StoreException reason) {
            // The next one may be carried out; if none is, the claim runs out and says so then.
        }
    }

    /** Makes a timer pending whose claim has run out: its node has died, or was stopped for long. */
    static final class Reap extends ClaimCommand {

        Reap(LoadedTimers timers, byte[] field, Durability level, long deadlineNanos) {
            super(timers, field, level, deadlineNanos);
        }

        @Override
        char letter() {
            return 'R';
        }

        @Override
        void answered(char letter, ByteBuffer rest) {
            if (letter == 'D') {
                timers.say(field, "its claim has run out, it is delivered again");
                timers.stands(field, TimerRecord.read(rest), UNKNOWN_BYTES);
            }
        }

        @Override
        void failed(StoreException reason) {
            // The owner comes by again.
        }
    }
}
