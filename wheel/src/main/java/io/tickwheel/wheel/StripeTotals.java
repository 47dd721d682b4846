package io.tickwheel.wheel;

/** How many timeouts have been scheduled and cancelled, and are pending. */
record StripeTotals(long scheduled, long cancelled, long pending) {
    static final StripeTotals NONE = new StripeTotals(0, 0, 0);

    StripeTotals plus(StripeTotals other) {
        return new StripeTotals(scheduled + other.scheduled, cancelled + other.cancelled, pending + other.pending);
    }
}
