package io.tickwheel.engine.lease;

import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreException;
import java.time.Duration;
import java.time.Instant;

/**
 * How long a lease of a consumer lasts, as far as is known: it is extended now and then, and that may be refused, or answered late or never. It lasts from the moment
 * of the latest question that was answered. In nanoseconds of the monotonic clock. Owned by the loop.
 */
final class LeaseTerm {

    private final long ttlNanos;
    private final long periodNanos;

    /** Since when it lasts. */
    private long sinceNanos;

    /** When it was asked for, or to be extended. */
    private long askedNanos;

    /**
     * @param period after which it is extended again
     * @param sinceNanos when it was given, or before
     */
    LeaseTerm(Duration ttl, Duration period, long sinceNanos) {
        this.ttlNanos = ttl.toNanos();
        this.periodNanos = period.toNanos();
        this.sinceNanos = sinceNanos;
        this.askedNanos = sinceNanos;
    }

    boolean hasExpired(long nowNanos) {
        return nowNanos - sinceNanos >= ttlNanos;
    }

    boolean wantsExtension(long nowNanos) {
        return nowNanos - askedNanos >= periodNanos;
    }

    /**
     * Notes that it is asked to be extended.
     *
     * @param gone runs when it is refused
     * @return takes the answer
     */
    Answer<Instant> ask(long nowNanos, Runnable gone) {
        askedNanos = nowNanos;
        return new Answer<>() {

            @Override
            public void accept(Instant expiresAt) {
                // Questions may be answered in another order.
                if (nowNanos - sinceNanos > 0) {
                    sinceNanos = nowNanos;
                }
            }

            @Override
            public void fail(StoreException reason) {
                if (reason instanceof LeaseGoneException) {
                    gone.run();
                }
            }
        };
    }
}
