package io.tickwheel.engine.lease;

import io.tickwheel.engine.post.Letter;
import io.tickwheel.store.Answer;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The engines of other nodes, as far as leases are theirs. Owned by the loop. */
public interface LeaseOwners {

    /** Whether the holder of a lease is the engine of another node, which is alive as far as is known. */
    boolean areAlive(long holder);

    /**
     * Has the holder do something to its lease.
     *
     * @param time until the next attempt, or how long it is to last; null for what the retry policy says
     * @param answer of a lease that was extended: when it expires
     */
    void ask(LeaseId lease, Letter.Wish wish, @Nullable Duration time, String reason, Answer<Instant> answer);

    /** Whether each question has its answer. */
    boolean isQuiet();

    /** Gives up what is not answered: this engine ends. */
    void giveUp();

    /** There are no others. */
    LeaseOwners NONE = new LeaseOwners() {

        @Override
        public boolean areAlive(long holder) {
            return false;
        }

        @Override
        public void ask(
                LeaseId lease, Letter.Wish wish, @Nullable Duration time, String reason, Answer<Instant> answer) {
            throw new IllegalArgumentException("there is no holder of " + lease);
        }

        @Override
        public boolean isQuiet() {
            return true;
        }

        @Override
        public void giveUp() {}
    };
}
