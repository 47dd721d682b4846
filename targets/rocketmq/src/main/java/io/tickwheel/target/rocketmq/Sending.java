package io.tickwheel.target.rocketmq;

import io.tickwheel.engine.Delivery;
import org.apache.rocketmq.client.apis.message.Message;

/** An attempt on its way. Owned by the thread of the target. */
final class Sending {

    final Message message;
    final Delivery delivery;
    final long sinceNanos;

    /** Whether it finds out if the topic is there again. */
    final boolean isProbe;

    /** Whether its outcome is told: by the client, or as its time is over, whichever comes first. */
    boolean hasEnded;

    Sending(Message message, Delivery delivery, long sinceNanos, boolean isProbe) {
        this.message = message;
        this.delivery = delivery;
        this.sinceNanos = sinceNanos;
        this.isProbe = isProbe;
    }

    String topic() {
        return message.getTopic();
    }
}
