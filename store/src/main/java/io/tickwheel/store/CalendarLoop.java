package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * How the loop drives the calendar, from its first turn to its closing.
 *
 * <p>Obligations of an implementation:
 *
 * <ul>
 *   <li><b>Failure.</b> After the first I/O error the calendar is failed for good: commands not yet answered fail with
 *       {@link StoreFailedException} (outcome unknown), later ones with the same exception (not applied), nothing is claimed any more.
 *       It must not try again. A calendar behind a network does not fail so: it fails single commands with
 *       {@link StoreUnavailableException}, and goes on.
 *   <li><b>Loss.</b> A calendar that finds that what it held is gone must not go on as if there had been nothing: it fails commands with
 *       {@link StoreGoneException}, lets go of what is loaded, grants no claim, and says so with {@link #unready} until somebody has said
 *       how to go on.
 * </ul>
 */
public interface CalendarLoop extends AutoCloseable {

    /**
     * Gives the calendar its turn: it sends what the commands changed on its way to where it becomes durable, and gives the answers and
     * claims that have become certain, at most {@code limit} of them. The loop calls it once a turn, after the commands of the turn.
     *
     * @return how many answers and claims were given
     * @throws StoreFailedException when the calendar is failed; all answers it owed are given by then
     */
    int work(int limit);

    /**
     * The same, by a loop that has nothing else to do for so long but what comes meanwhile: a calendar that knows that its disk is quick may
     * wait for it here, instead of for a thread that does.
     *
     * @param spareNanos nanoseconds from now on; 0 when there is something to do
     */
    default int work(int limit, long spareNanos) {
        return work(limit);
    }

    /** How long the loop may stay away when nobody wakes it, in nanoseconds; by default far longer than anybody waits. */
    default long idleNanos() {
        return Long.MAX_VALUE;
    }

    /**
     * How long the loop does well to stay away after a turn in which there was little to do, so that what comes meanwhile costs
     * one call instead of many; in nanoseconds; by default not at all.
     */
    default long gatherNanos() {
        return 0;
    }

    /** Whether the calendar can take more commands now; when not, {@link #work} makes room and the calendar calls the waker. */
    boolean hasRoom();

    /** Whether everything that was given to the calendar is durable and, unless the calendar is failed, all answers and claims are given. */
    boolean isQuiet();

    /** Whether other nodes may write into what this calendar shows; always the same. */
    default boolean isShared() {
        return false;
    }

    /** How the engines of the nodes write to each other; null when there is one node, or no way. Always the same. */
    default @Nullable NodeMail mail() {
        return null;
    }

    /** What the nodes that share this calendar may run and start together; null when it has only one node; always the same. */
    default @Nullable SharedLimits limits() {
        return null;
    }

    /** The clock by which timers are due; null when that is the wall clock of this machine. */
    default @Nullable StoreClock clock() {
        return null;
    }

    /**
     * Why the calendar takes no commands and delivers nothing until somebody acts, in words for an operator; null while it does
     * both. The cause may pass without a new opening; a calendar that is failed has no need to name one. Any thread may call this.
     */
    default @Nullable String unready() {
        return null;
    }

    /**
     * Prepares for closing: the loop claims nothing any more, and a calendar that several nodes share may give the others what this node
     * has to deliver, and take back what it has loaded. Claims that were granted still end as ever.
     */
    default void handOver() {}

    /**
     * Fails the calendar for a fault of its caller, as an I/O error does: the answers it owes fail with
     * {@link StoreFailedException} (outcome unknown).
     */
    void fail(Throwable cause);

    /**
     * Lets go of all that the calendar holds: files, connections, locks. The loop calls it once, when {@link #isQuiet}; it may block.
     *
     * @throws StoreFailedException when that failed; everything answered is durable all the same
     */
    @Override
    void close();
}
