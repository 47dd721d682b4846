package io.tickwheel.benchmarks;

import java.nio.ByteBuffer;

/** What timers of a {@link Peer} carry: number and due time, and random bytes to the usual length. */
record PeerPayload(long number, long dueAtMs) {

    byte[] bytes() {
        byte[] bytes = TimerPlan.payload(number);
        ByteBuffer.wrap(bytes).putLong(Long.BYTES, dueAtMs);
        return bytes;
    }

    static PeerPayload of(byte[] bytes) {
        ByteBuffer payload = ByteBuffer.wrap(bytes);
        return new PeerPayload(payload.getLong(), payload.getLong());
    }
}
