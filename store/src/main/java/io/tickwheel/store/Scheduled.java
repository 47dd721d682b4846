package io.tickwheel.store;

/**
 * The answer to a {@link ScheduleCommand}.
 *
 * @param outcome what became of the wish
 * @param timer the timer that now stands under the key
 * @param previous what stood under the key before
 * @param requestHash the hash that came with the request that made {@code timer}
 */
public record Scheduled(Outcome outcome, TimerView timer, Previous previous, long requestHash) {

    public enum Outcome {
        /** A timer was made under a key that had no live one. */
        CREATED,
        /** A timer was made and took the place of the live one. */
        REPLACED,
        /** The timer that was there stays, as the conflict rule wanted; nothing was made. */
        KEPT,
        /** The timer that was there stays, and the caller had asked to be told; nothing was made. */
        CONFLICT
    }

    public enum Previous {
        /** Neither a live nor a dead timer. */
        NONE,
        /** A timer no attempt of which was running: when it was replaced, none of its attempts starts any more. */
        PENDING,
        /** A timer with a running attempt: when it was replaced, or had been cancelled, that attempt may end, and no other starts. */
        CLAIMED,
        /** A timer that was given up: when a new one was made, it is forgotten with its content. */
        DEAD
    }
}
