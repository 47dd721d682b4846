package io.tickwheel.store.redis.link;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A {@link PendingCall} on one connection. */
final class Attempt extends WireCommand {

    final PendingCall pending;

    /** With the source of the script, not only its name. */
    final boolean whole;

    /** What it answered, while it is not durable yet. */
    @Nullable
    Object value;

    /** Whether it is executed for certain. */
    boolean executed;

    private final Carrier carrier;

    /** Who has made it. */
    interface Carrier extends Line {

        /** Takes the reply to a call. */
        void replied(Attempt attempt, @Nullable Object value, @Nullable String error);

        /** Takes that no reply to a call will come. */
        void lost(Attempt attempt, boolean written, String reason);
    }

    Attempt(Carrier carrier, PendingCall pending, boolean whole) {
        super(carrier);
        this.carrier = carrier;
        this.pending = pending;
        this.whole = whole;
    }

    @Override
    void write(ByteBuf out) {
        Call call = pending.call;
        Script script = call.script;
        int strings = call.keys.size() + call.arguments.size();
        if (script == null) {
            writeLength(out, 1 + strings);
            writeAscii(out, call.command);
        } else {
            writeLength(out, 3 + strings);
            if (whole) {
                writeAscii(out, "EVAL");
                writeUtf8(out, script.source());
            } else {
                writeAscii(out, "EVALSHA");
                writeAscii(out, script.sha1());
            }
            writeAscii(out, Integer.toString(call.keys.size()));
        }
        writeStrings(out, call.keys);
        writeStrings(out, call.arguments);
    }

    @Override
    void replied(@Nullable Object answered, @Nullable String error) {
        carrier.replied(this, answered, error);
    }

    @Override
    void lost(boolean written, String reason) {
        carrier.lost(this, written, reason);
    }
}
