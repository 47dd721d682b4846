package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * The commands that callers give: a timer is made, replaced or cancelled.
 *
 * <p>Obligations of an implementation:
 *
 * <ul>
 *   <li><b>Order.</b> Commands about one key take effect in the order of the calls, and each command and query about a key sees the effect of those before it. Those about
 *       other keys may overtake them. Lists and counts see what was answered before them.
 *   <li><b>Durability.</b> An answer that shows an effect, also one of an earlier command, must not be given before that effect is
 *       durable at the level of {@link #durability}: with {@code SYNC}, whatever was answered is found again after a crash at any
 *       instant. A command that asks for a level of its own is answered at that level.
 *   <li><b>Atomicity.</b> After a crash each unanswered command is either there as a whole or not at all. A replace is one step: at no
 *       time are both versions to be delivered after a crash, or none.
 *   <li><b>Cancel, replace and complete</b> are linearizable against {@link CalendarClaims#claim}: after a cancel answered {@code CANCELLED}, a
 *       replace answered {@code previous = PENDING}, or a complete answered {@code CHANGED}, no claim of the old version is granted, across crashes too.
 *   <li><b>Truth.</b> The calendar never drops, merges or moves a live timer, whatever its due time and however long nobody was looking.
 *   <li><b>Room.</b> A schedule that would make a timer, a spawn that would make a run, a reschedule and a redrive may be refused with {@link StoreFullException} when
 *       there is no room for them: without any effect. Everything else must go on then for as long as possible, and schedules must be taken again when there is
 *       room.
 * </ul>
 */
public interface CalendarCommands {

    /**
     * Makes, replaces or keeps the timer of a key, as {@link OnConflict} says. One that expects another id than the timer that is known under the key
     * has, live or not, fails with {@link IdMismatchException}, and nothing is done.
     */
    void schedule(ScheduleCommand command, Answer<Scheduled> answer);

    /**
     * Cancels the timer of a key: no further attempt starts, across crashes and on other nodes. While one runs the timer is shown as
     * claimed; it is live no more, and neither listed nor counted, and rules for conflicts take it for none. A key that no timer can have is one that no timer has, or is refused with an
     * {@link IllegalArgumentException}.
     *
     * @param expectedId the id that the timer must have, or it fails with {@link IdMismatchException} and nothing is done; null for any
     * @param durability what must be certain before it is answered; null for what the calendar gives anyway
     */
    void cancel(TimerKey key, @Nullable String expectedId, @Nullable Durability durability, Answer<Cancelled> answer);

    /** Cancels the timer of a key, whatever its id is, with the durability that the calendar gives anyway. */
    default void cancel(TimerKey key, Answer<Cancelled> answer) {
        cancel(key, null, null, answer);
    }

    /**
     * Changes a timer, when it is in the state that the change is for, in one step as a replace is: reschedules a pending one, and makes a dead one pending again, or has it
     * forgotten. Fails with {@link IdMismatchException} as a schedule does. Linearizable against {@link CalendarClaims#claim}: after one answered
     * {@code CHANGED} no claim is granted for the due time before.
     */
    void change(ChangeCommand command, Answer<Changed> answer);

    /**
     * Completes a timer whose attempt has succeeded, though its claim was granted by another opening of the store, or on another node. What the calendar itself has
     * claimed ends by {@link CalendarClaims#finish}.
     *
     * <ul>
     *   <li>It is answered {@code CHANGED}, with the completed timer, when no attempt has begun since: the timer is pending and due, and neither this attempt nor one behind
     *       it is known to have ended, or have been claimed; or that very claim holds on, by its token. The attempt counts then, and is remembered.
     *   <li>Otherwise it is answered {@code WRONG_STATE}, and nothing is done. It fails with {@link IdMismatchException} when the timer is not the one that is known under the key.
     *   <li>When that cannot be told, as of a timer that was redriven since, nothing is done either: the timer is delivered again. So is one that was rescheduled since
     *       to a time that is still to come.
     * </ul>
     */
    void complete(CompleteCommand command, Answer<Changed> answer);

    /** What is certain when a command is answered that asks for no other level; fixed while the calendar is open. */
    Durability durability();

    /** Whether a command may ask for that level. */
    default boolean offers(Durability level) {
        return level.equals(durability());
    }
}
