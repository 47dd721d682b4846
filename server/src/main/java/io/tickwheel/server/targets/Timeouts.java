package io.tickwheel.server.targets;

/**
 * How long an attempt may take, each from its start: an attempt needs one timer, which is set again in the rare case that it comes.
 *
 * @param connectMs until it is connected, with the look-up of the name and TLS
 * @param headMs until the head of the answer is there
 * @param totalMs until the answer is there
 */
record Timeouts(int connectMs, int headMs, int totalMs) {

    static final Timeouts DEFAULT = new Timeouts(5_000, 30_000, 35_000);

    /** A time as messages have it: {@code 5 s}, or {@code 250 ms}. */
    static String text(int ms) {
        return ms % 1_000 == 0 ? ms / 1_000 + " s" : ms + " ms";
    }
}
