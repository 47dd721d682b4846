package io.tickwheel.store;

import java.util.List;

/** The questions that callers ask. A query changes nothing, and sees the effect of every command before it. */
public interface CalendarQueries {

    /** Finds the timer of a key, live or finished and still remembered; an empty list when none is known. */
    void find(TimerKey key, Answer<List<TimerView>> answer);

    /** Finds the timer of a key as {@link #find} does, with its content: that of one that is pending, claimed or dead. */
    void read(TimerKey key, Answer<List<StoredTimer>> answer);

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

    /** Counts per queue, in the order of the queue names. O(queues). */
    void queues(Answer<List<QueueCounts>> answer);

    /** Live timers: pending and claimed; no fewer than that while the calendar still gathers what it recovered. O(1). */
    long liveCount();
}
