package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import org.jspecify.annotations.Nullable;

/** A call from {@link Link#send} to its reply, over as many connections as it takes. Of the loop. */
final class PendingCall implements Runnable {

    final Call call;

    /** Earlier calls have smaller ones. */
    final long sequence;

    /** When it was sent to the link. */
    final long bornNanos;

    /** Whether its reply is not to be delivered, as somebody waits for it. */
    final boolean isAwaited;

    /** How often it was told to go elsewhere, or to come with its source. */
    int turns;

    /** Set when a server said that the call is to be made elsewhere, this time only. */
    @Nullable
    Endpoint asked;

    /** It has been written, and no server has said that it did not execute it. */
    boolean sent;

    /** The server does not know its script. */
    boolean whole;

    /** Null until it is known what became of it. */
    @Nullable
    Reply reply;

    PendingCall(Call call, long sequence, long bornNanos, boolean isAwaited) {
        this.call = call;
        this.sequence = sequence;
        this.bornNanos = bornNanos;
        this.isAwaited = isAwaited;
    }

    /** Gives the reply to the call. */
    @Override
    public void run() {
        assert reply != null : "it is delivered when it has a reply";
        call.answered(reply);
    }

    boolean isDurable() {
        return call.level.kind() != Durability.Kind.MEMORY;
    }
}
