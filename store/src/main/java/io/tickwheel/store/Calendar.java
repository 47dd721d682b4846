package io.tickwheel.store;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The durable calendar of time slices: the truth about every timer. One thread, the shard loop, makes all calls; no call
 * blocks on I/O. Answers and claims come back on that thread, within the call or in a later {@link #work}.
 *
 * <h2>Obligations of an implementation</h2>
 *
 * <ul>
 *   <li><b>Order.</b> Commands take effect in the order of the calls. Every command sees the effect of those before it.
 *   <li><b>Durability.</b> An answer that shows an effect, also one of an earlier command, must not be given before that
 *       effect is durable at the level of {@link #durability}: with {@code SYNC}, whatever was answered is found again after
 *       a crash at any instant. The same holds for a claim: a
 *       timer is claimed only when its own schedule, or retry, is durable.
 *       Where a command asks for a level of its own, that level is meant.
 *   <li><b>Atomicity.</b> After a crash each unanswered command is either there as a whole or not at all. Replace is one
 *       step: at no time are both versions to be delivered after a crash, or none.
 *   <li><b>Cancel and replace</b> are linearizable against {@link #claim}: after a cancel answered {@code CANCELLED}, or a
 *       replace answered {@code previous = PENDING}, no claim of the old version is granted, across crashes too.
 *   <li><b>Claims</b> are leases of this process: after a crash a claimed timer is pending again, at once or when the lease
 *       has run out. Whether the attempt counts is for the calendar to say.
 *   <li><b>Truth.</b> A live timer is never dropped, merged or moved in time by the calendar, whatever its due time and
 *       however long nobody was looking.
 *   <li><b>Contiguity.</b> What is loaded is everything due before {@link #loadedTo}, at any time, of the lanes that may start. A
 *       timer that enters that range by a schedule or retry is told as loaded, at the latest within the next call of another
 *       method once the command was decided, or ends the range where there was no room for it. Of a store that several nodes
 *       share, all this is about the timers that this node has to deliver.
 *   <li><b>Neighbours.</b> Timers of a lane that cannot start take no room: a bound for each such lane stands for them. What a lane
 *       takes otherwise is bounded by {@link LoadRoom}, in number and in bytes.
 *   <li><b>Room.</b> A schedule that would make a timer may be refused with {@link StoreFullException} when there is no room
 *       for it: without any effect. Everything else must go on then for as long as possible, and schedules must be taken again
 *       when there is room.
 *   <li><b>Failure.</b> After the first I/O error the calendar is failed for good: commands not yet answered fail with
 *       {@link StoreFailedException} (outcome unknown), later ones with the same exception (not applied), nothing is claimed
 *       any more. It must not try again. A calendar behind a network does not fail so: it fails single commands with
 *       {@link StoreUnavailableException}, and goes on.
 *   <li><b>Loss.</b> A calendar that finds that what it held is gone must not go on as if there had been nothing: it fails commands
 *       with {@link StoreGoneException}, lets go of what is loaded, grants no claim, and says so with {@link #unready} until somebody
 *       has said how to go on.
 * </ul>
 *
 * The calendar must not read a clock of this machine: times come in as parameters.
 */
public interface Calendar extends AutoCloseable {

    /** Makes, replaces or keeps the timer of a key. */
    void schedule(ScheduleCommand command, Answer<Scheduled> answer);

    /**
     * Cancels the pending timer of a key.
     *
     * @param durability what must be certain before it is answered; null for what the calendar gives anyway
     */
    void cancel(TimerKey key, @Nullable Durability durability, Answer<Cancelled> answer);

    /** With the durability that the calendar gives anyway. */
    default void cancel(TimerKey key, Answer<Cancelled> answer) {
        cancel(key, null, answer);
    }

    /** Finds the timer of a key, live or finished and still remembered; an empty list when none is known. */
    void find(TimerKey key, Answer<List<TimerView>> answer);

    /**
     * Loads timers of the lanes that may start, as far as there is {@link CalendarListener#room}, in two ways, of which each gets
     * half of {@code limit} when both have something to load:
     *
     * <ul>
     *   <li>what has been due for less than {@value LoadRoom#FRESH_MS} ms and what is due before {@code toMs}, in the order of the
     *       attempts' times;
     *   <li>what has been due for longer, the oldest first among the lanes that have room; lanes with less than the minimum come before
     *       the others.
     * </ul>
     *
     * So a backlog, however long, does not hold up fresh timers, and a lane that takes none does not hold up others. Until the
     * next call, timers that enter the loaded range are told as loaded at once where there is room for them; others wait for a later
     * load.
     *
     * @param nowMs the wall clock
     * @param limit how many timers may be told within the call
     * @return whether everything due before {@code toMs} is loaded of the lanes that may start
     */
    boolean load(long nowMs, long toMs, int limit);

    /**
     * Every live timer due before this is loaded, of the lanes that may start; exclusive, in milliseconds since the epoch. Falls only
     * when there was no room for a timer, when a lane is resumed, or while a store puts its files in order. Before the first load it
     * is at or before the oldest due time, or {@link Long#MIN_VALUE} when there is no timer.
     */
    long loadedTo();

    /** Says that {@link CalendarListener#mayStart} is false from now on for a lane: what is loaded of it stays loaded. */
    void suspend(Lane lane);

    /** Says that {@link CalendarListener#mayStart} is true from now on for a lane: its timers are loaded by the next loads. */
    void resume(Lane lane);

    /** Lets go of a loaded timer that is not claimed: it waits in the store as if it had not been loaded. The listener is not told. */
    void unload(PendingTimer timer);

    /** The lanes that have timers that are due and not loaded, as of the last load, in no order. O(lanes). */
    List<WaitingLane> waiting();

    /**
     * Asks for one attempt of a loaded timer. The claim is given to {@code granted}, at once or in a later {@link #work}; it
     * is not given at all when the timer is cancelled or replaced first, which the listener is told as unloaded.
     */
    void claim(PendingTimer timer, Consumer<ClaimedTimer> granted);

    /**
     * Gives an unused claim back: the timer is pending and loaded as before, the attempt not counted.
     *
     * @return whether the timer is still to be delivered: false when it was replaced meanwhile
     */
    boolean release(PendingTimer timer);

    /**
     * Gives an unused claim back of a timer whose route was not known: it is pending, not loaded, and of the lane with that route
     * from now on. The attempt is not counted. When the timer was replaced meanwhile, it just ends.
     *
     * @param route {@link Lane#QUEUE_ROUTE} to {@link Lane#MAX_ROUTE}
     */
    void reroute(PendingTimer timer, long route);

    /**
     * Ends a claim with a further attempt due at {@code attemptAtMs}. When the timer was replaced meanwhile, it just ends.
     *
     * @return whether a further attempt will be made
     */
    boolean retry(PendingTimer timer, long attemptAtMs);

    /**
     * Ends a claimed timer for good.
     *
     * @param outcome {@code COMPLETED}, {@code DEAD} or {@code EXPIRED}
     * @return whether the outcome counts: false when the timer was replaced meanwhile
     */
    boolean finish(PendingTimer timer, TimerState outcome);

    /**
     * Drives the calendar: sends what was appended on its way to the disk and gives the answers that became due, at most
     * {@code limit} of them. To be called once per turn of the loop, after the commands of the turn.
     *
     * @return how many answers and claims were given
     * @throws StoreFailedException when the calendar is failed; all answers it owed are given by then
     */
    int work(int limit);

    /** How long the calendar can be left alone when it is not woken, in nanoseconds; far longer than anybody waits by default. */
    default long idleNanos() {
        return Long.MAX_VALUE;
    }

    /**
     * How long the loop does well to stay away after a turn in which there was little to do, so that what comes meanwhile costs
     * one call instead of many; in nanoseconds, not at all by default.
     */
    default long gatherNanos() {
        return 0;
    }

    /** Whether the calendar can take more commands now; when not, {@link #work} makes room and the waker is called. */
    boolean hasRoom();

    /**
     * Fails the calendar for a fault of its caller, as an I/O error does: the answers it owes fail with
     * {@link StoreFailedException} (outcome unknown).
     */
    void fail(Throwable cause);

    /**
     * Says that no attempt starts any more on this node, which is about to close: a calendar that others share may give them
     * what this node has to deliver, and take back what it has loaded. Claims that were granted still end as ever.
     */
    default void handOver() {}

    /** Whether nothing is on its way to the disk; unless the calendar is failed, all answers and claims are given too. */
    boolean isQuiet();

    /** Counts per queue, in the order of the queue names. O(queues). */
    void queues(Answer<List<QueueCounts>> answer);

    /**
     * Lists timers, live and dead, in the order of their attempts' times, then age: how long ago they were scheduled or, when they
     * were tried since, tried last.
     *
     * <p>A call looks at a bounded number of timers, in several turns; when it has seen so many, the page is as short as it
     * is. So pages are no snapshot. A timer that stands in the list from the first call to the last answer, with the same due
     * time, is on exactly one page; one that comes, goes, or gets another due time or state meanwhile is shown as it stood
     * when the list came by, if it still stood or already stood ahead of it.
     */
    void list(TimerQuery query, Answer<TimerPage> answer);

    /**
     * Counts the live timers that come due in each of some buckets, without a look at those due at other times. Takes as many
     * turns as it needs. Each count is exact for some moment between the call and the answer, the same one for the timers of
     * one queue that are due at the same time, and a later one for what is due later.
     */
    void countDue(DueCountQuery query, Answer<DueCounts> answer);

    /** What an answer means unless a command asks for another level: fixed while the calendar is open. */
    Durability durability();

    /** Whether a command may ask for that level. */
    default boolean offers(Durability level) {
        return level.equals(durability());
    }

    /** The clock by which timers are due; null when that is the wall clock of this machine. */
    default @Nullable StoreClock clock() {
        return null;
    }

    /**
     * Why the calendar takes no commands and delivers nothing until somebody acts, in words for an operator; null while it does
     * both. What it says may pass without a new opening, and a calendar that is failed has no need to say so. Called by any thread.
     */
    default @Nullable String unready() {
        return null;
    }

    /** Live timers: pending and claimed; no fewer than that while the calendar still gathers what it recovered. O(1). */
    long liveCount();

    /**
     * Closes the files and frees the lock. To be called once, when {@link #isQuiet}.
     *
     * @throws StoreFailedException when that failed; everything answered is durable all the same
     */
    @Override
    void close();
}
