package io.tickwheel.server.crash;

/**
 * One callback as the receiver saw it; it was answered with 200.
 *
 * @param at when its head was read
 * @param lifetime the number of the server process that sent it
 * @param id the header {@code webhook-id}
 * @param key the header {@code Tickwheel-Key}
 * @param version the header {@code Tickwheel-Version}
 * @param attempt the header {@code Tickwheel-Attempt}
 * @param dueAtMs the header {@code Tickwheel-Due-At}
 * @param token the payload
 */
record LedgerArrival(
        LedgerMoment at, int lifetime, String id, String key, long version, int attempt, long dueAtMs, String token) {}
