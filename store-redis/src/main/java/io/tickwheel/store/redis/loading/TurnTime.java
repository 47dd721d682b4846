package io.tickwheel.store.redis.loading;

/** The clocks as of this turn of the loop, so that all that one turn does is done at one time. Used by the loop only. */
public final class TurnTime {

    private long nowNanos;
    private long loadNowMs;

    public TurnTime(long nowNanos) {
        this.nowNanos = nowNanos;
    }

    /** A turn begins. */
    public void begin(long monoNanos) {
        nowNanos = monoNanos;
    }

    /** A load is asked for, at that time of the wall clock. */
    public void load(long wallMs) {
        loadNowMs = wallMs;
    }

    /** The monotonic clock, as of this turn. */
    public long nowNanos() {
        return nowNanos;
    }

    /** The wall clock that the last load was asked with. */
    public long loadNowMs() {
        return loadNowMs;
    }
}
