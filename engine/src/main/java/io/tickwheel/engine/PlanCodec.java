package io.tickwheel.engine;

import io.tickwheel.recurrence.Recurrence;
import java.nio.ByteBuffer;

/**
 * The bytes of a plan, within those of a {@link TimerContent}.
 *
 * <pre>
 *   recurrence text | runs before u64 | runs started u64 | nominal i64 ms | flags u8: 1 waits, 2 ended        text: length u32, UTF-8
 * </pre>
 */
final class PlanCodec {

    /** Of what comes after the text. */
    static final int FIXED_BYTES = 3 * Long.BYTES + 1;

    private static final int WAITING = 1;
    private static final int ENDED = 2;

    private PlanCodec() {}

    /** Writes what comes after the text. */
    static void putFixed(ByteBuffer out, Plan plan) {
        out.putLong(plan.before()).putLong(plan.started()).putLong(plan.nominalMs());
        out.put((byte) ((plan.isWaiting() ? WAITING : 0) | (plan.hasEnded() ? ENDED : 0)));
    }

    /** Reads what comes after the text. */
    static Plan get(ByteBuffer in, String recurrence) {
        long before = in.getLong();
        long started = in.getLong();
        long nominalMs = in.getLong();
        int flags = in.get();
        if ((flags & ~(WAITING | ENDED)) != 0) {
            throw new IllegalArgumentException("flags of a plan are " + flags + ", must be 0 to " + (WAITING | ENDED));
        }
        return new Plan(
                Recurrence.parse(recurrence), before, started, nominalMs, (flags & WAITING) != 0, (flags & ENDED) != 0);
    }
}
