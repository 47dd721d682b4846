package io.tickwheel.store.redis.link;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** What all parts of a link share: its limits, its clock, and the ways to the network and back. Of the loop. */
final class LinkContext {

    final Inbox inbox;
    final Dialer dialer;
    final ServerAddress address;
    final long timeoutNanos;

    /** How long a {@code WAIT} waits for replicas. */
    final long waitMillis;

    private final LongSupplier monoNanos;
    private final SplittableRandom random;
    private long number;

    LinkContext(
            ServerAddress address,
            Duration timeout,
            Duration waitLimit,
            LongSupplier monoNanos,
            SplittableRandom random,
            Runnable waker) {
        this.address = address;
        this.timeoutNanos = timeout.toNanos();
        this.waitMillis = waitLimit.toMillis();
        this.monoNanos = monoNanos;
        this.random = random;
        this.inbox = new Inbox(waker);
        this.dialer = new Dialer(address, timeout, inbox);
    }

    long now() {
        return monoNanos.getAsLong();
    }

    /** A number that no connection of the link had. */
    long nextNumber() {
        return ++number;
    }

    Backoff newBackoff() {
        return new Backoff(random.split());
    }

    /** One of the endpoints of the address, any. */
    Endpoint anyEndpoint() {
        return address.endpoints().get(random.nextInt(address.endpoints().size()));
    }
}
