package io.tickwheel.wheel;

/**
 * What a {@link WheelTimer} has done since it was made. Each number is exact, but they are not read at one moment.
 *
 * @param pending timeouts that wait for their deadline
 * @param scheduled timeouts that were accepted
 * @param cancelled timeouts that were cancelled, by a call or by the closing of the timer
 * @param fired expirations, each run of a periodic timeout counted
 * @param failed tasks that have thrown
 * @param rejected times that the executor has refused a task
 * @param wakeUps times that the expiry thread woke up
 * @param spuriousWakeUps those of them in which nothing was due
 * @param lateness how late timeouts have expired
 */
public record WheelTimerMetrics(
        long pending,
        long scheduled,
        long cancelled,
        long fired,
        long failed,
        long rejected,
        long wakeUps,
        long spuriousWakeUps,
        Lateness lateness) {}
