package io.tickwheel.store;

import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * What a calendar needs from its surroundings. {@code log} and {@code background} must run tasks one at a time, in order, and no executor may
 * ever interrupt one.
 *
 * @param log runs what makes commands durable: short writes, one after the other, that answers wait for
 * @param background runs long writes that nobody waits for
 * @param readers unlike the others, runs several tasks at once: short reads for which commands wait. It may begin them late, or run them itself
 * @param waker called, from any thread, when {@link Calendar#work} has something to do
 * @param random 64 random bits at each call, for identities
 * @param monoNanos a monotonic clock in nanoseconds, used to measure how long a sync took and how long
 *     something was not synced
 * @param syncNanos told, on {@code log}, how long each sync took
 */
public record StoreContext(
        Executor log,
        Executor background,
        Executor readers,
        Runnable waker,
        LongSupplier random,
        LongSupplier monoNanos,
        LongConsumer syncNanos) {

    /** Of surroundings that read with the thread that asks, such as a simulation. */
    public StoreContext(
            Executor log,
            Executor background,
            Runnable waker,
            LongSupplier random,
            LongSupplier monoNanos,
            LongConsumer syncNanos) {
        this(log, background, Runnable::run, waker, random, monoNanos, syncNanos);
    }
}
