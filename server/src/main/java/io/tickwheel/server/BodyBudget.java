package io.tickwheel.server;

/**
 * How many bytes of unfinished bodies the server holds, all connections together. Each body has a limit of its own, but
 * enough of them would fill the heap. For one event loop.
 */
final class BodyBudget {

    private static final int HEAP_SHARE = 8;

    private final long bytes;
    private long taken;

    /** @param bytes at least the longest body, which must always fit into a budget that nothing is taken from */
    BodyBudget(long bytes) {
        assert bytes >= Limits.BATCH_BODY : bytes;
        this.bytes = bytes;
    }

    /**
     * An eighth of the heap: a body is held about three times over while the buffer that collects it grows, and the timers
     * need the rest.
     */
    static BodyBudget ofHeap(long maxHeapBytes) {
        return new BodyBudget(Math.max(Limits.BATCH_BODY, maxHeapBytes / HEAP_SHARE));
    }

    /** Takes all of {@code count}, or nothing and tells so. */
    boolean take(long count) {
        if (count > bytes - taken) {
            return false;
        }
        taken += count;
        return true;
    }

    void giveBack(long count) {
        taken -= count;
        assert taken >= 0 : taken;
    }

    long bytes() {
        return bytes;
    }

    long taken() {
        return taken;
    }
}
