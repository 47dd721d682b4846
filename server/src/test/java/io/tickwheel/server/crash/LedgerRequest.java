package io.tickwheel.server.crash;

/**
 * One request for one key, and what became of it.
 *
 * @param key the timer's key
 * @param wish what was asked
 * @param lifetime the number of the server process that it was sent to
 * @param start before the first byte was sent
 * @param end after the answer was read, or given up
 * @param answer what the server said
 */
record LedgerRequest(String key, Wish wish, int lifetime, LedgerMoment start, LedgerMoment end, LedgerAnswer answer) {

    sealed interface Wish {}

    /** Schedule or replace; {@code token} is the payload and belongs to no other request. */
    record Put(String token, long delayMs) implements Wish {}

    record Cancel() implements Wish {}

    record Look() implements Wish {}
}
