package io.tickwheel.store.redis.faults;

/**
 * A call of the handler.
 *
 * @param token of the wish that made the timer
 * @param wallMs when it began
 */
record FaultDelivery(
        String node, String key, String token, String id, long version, int attempt, long dueAtMs, long wallMs) {

    String text() {
        return String.join(
                " ",
                node,
                key,
                token,
                id,
                Long.toString(version),
                Integer.toString(attempt),
                Long.toString(dueAtMs),
                Long.toString(wallMs));
    }

    static FaultDelivery of(String[] words, int at) {
        return new FaultDelivery(
                words[at],
                words[at + 1],
                words[at + 2],
                words[at + 3],
                Long.parseLong(words[at + 4]),
                Integer.parseInt(words[at + 5]),
                Long.parseLong(words[at + 6]),
                Long.parseLong(words[at + 7]));
    }
}
