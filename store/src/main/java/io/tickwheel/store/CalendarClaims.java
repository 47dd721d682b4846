package io.tickwheel.store;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a loaded timer, from its claim to its end.
 *
 * <p>Claims are leases of this process: after a crash a claimed timer is pending again, at once or when the lease has run out. Whether
 * the attempt counts is for the calendar to say. A timer is claimed only when its own schedule, or retry, is durable.
 *
 * <p>The claim of a timer that was cancelled meanwhile is its last one: however it ends, and after a crash, the timer is cancelled, unless the
 * outcome is {@code COMPLETED}.
 *
 * <p>Of the attempts that are told with their ends the last {@link PastAttempt#REMEMBERED} are kept with the timer, for as long as that is known.
 */
public interface CalendarClaims {

    /**
     * Asks for one attempt of a loaded timer. The claim is given to {@code granted}, at once or in a later {@link CalendarLoop#work}; it
     * is not given at all when the timer is cancelled or replaced first, which the listener is told as unloaded.
     */
    void claim(PendingTimer timer, Consumer<ClaimedTimer> granted);

    /**
     * Gives an unused claim back: the timer is pending and loaded as before, the attempt not counted.
     *
     * @return whether the timer is still to be delivered: false when it was replaced or cancelled meanwhile
     */
    boolean release(PendingTimer timer);

    /**
     * Gives an unused claim back of a timer whose route was not known: it is pending, not loaded, and of the lane with that route
     * from now on. The attempt is not counted. When the timer was replaced or cancelled meanwhile, it just ends.
     *
     * @param route {@link Lane#QUEUE_ROUTE} to {@link Lane#MAX_ROUTE}
     */
    void reroute(PendingTimer timer, long route);

    /**
     * Ends a claim with a further attempt due at {@code attemptAtMs}. When the timer was replaced or cancelled meanwhile, it just ends.
     *
     * @param ended the attempt that ends, which is remembered with the timer; null when it is not to be
     * @return whether a further attempt will be made
     */
    boolean retry(PendingTimer timer, long attemptAtMs, @Nullable PastAttempt ended);

    /** As {@link #retry(PendingTimer, long, PastAttempt)}, without a memory of the attempt that ends. */
    default boolean retry(PendingTimer timer, long attemptAtMs) {
        return retry(timer, attemptAtMs, null);
    }

    /**
     * Ends a claim that was no attempt: the timer is tried again at {@code attemptAtMs}, and that attempt has the number of this one. When the timer was
     * replaced or cancelled meanwhile, it just ends.
     *
     * @return whether a further attempt will be made
     */
    boolean postpone(PendingTimer timer, long attemptAtMs);

    /**
     * Ends a claim that was no attempt, and makes another timer in the same step: the claimed timer, the plan, is pending again, due at another time and with
     * another content, under the id and version and along the route that it has; none of its attempts counts, and those that are remembered stay. The other timer, its
     * run, is scheduled. Nobody sees one without the other, after a crash either; a claim that is over changes nothing. When a live timer stands under the key of the
     * run, that stays, and the plan is pending again all the same.
     *
     * <p>It is answered at the level of {@link CalendarCommands#durability}. The claim is over from the call on, and the calendar must not be asked about it again; but:
     *
     * <ul>
     *   <li>With {@link StoreFullException} there was no room for the run, nothing was done, and the claim holds on from the answer: it is to be ended in another way, or in
     *       this one again. Only what makes a timer is refused so.
     *   <li>With {@link IdMismatchException}, which has what stands there now, the plan was replaced or cancelled meanwhile, or the claim had run out:
     *       nothing was made. A plan that was cancelled has ended.
     *   <li>After any other failure the step was made as a whole, or not at all: then the plan is pending again as after a crash.
     * </ul>
     */
    void spawn(SpawnCommand command, Answer<Spawned> answer);

    /**
     * Ends a claimed timer for good.
     *
     * @param outcome {@code COMPLETED}, {@code DEAD} or {@code EXPIRED}
     * @param ended the attempt that ends, which is remembered with the timer, also when that was cancelled; null when it is not to be
     * @return whether the outcome counts: false when the timer was replaced meanwhile, or cancelled and the outcome is not {@code COMPLETED}
     */
    boolean finish(PendingTimer timer, TimerState outcome, @Nullable PastAttempt ended);

    /**
     * As {@link #finish(PendingTimer, TimerState, PastAttempt)}, for an outcome that others are told of: where somebody else may have cancelled or replaced the timer, and this
     * node does not know, it is asked.
     *
     * @param counted told exactly once whether the outcome counts, within the call or in a later {@link CalendarLoop#work}; that it does not, too, when the claim could not be
     *     ended, so that the timer is tried again. It must be quick, must not throw and must not call the calendar
     */
    default void finish(
            PendingTimer timer, TimerState outcome, @Nullable PastAttempt ended, Consumer<Boolean> counted) {
        counted.accept(finish(timer, outcome, ended));
    }

    /**
     * Whether a claim that was not ended still stands, as far as is known here, so that its end has an effect. That of a timer that was replaced does not, also when
     * it was cancelled first, and none does once the calendar has failed; that of a timer that was cancelled does. Where others share the calendar it may have run out,
     * as this node stood still or could not reach it, and somebody else may have the timer.
     */
    boolean holds(PendingTimer timer);

    /** As {@link #finish(PendingTimer, TimerState, PastAttempt)}, without a memory of the attempt that ends. */
    default boolean finish(PendingTimer timer, TimerState outcome) {
        return finish(timer, outcome, null);
    }
}
