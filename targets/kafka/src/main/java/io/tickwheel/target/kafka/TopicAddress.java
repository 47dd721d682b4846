package io.tickwheel.target.kafka;

import java.util.regex.Pattern;

/**
 * Where a timer goes in a cluster. Stored as the topic and, after a blank, the key of the record, each only if it was named: {@code orders}, {@code orders customer-7},
 * the empty string.
 *
 * @param topic empty for the one with the name of the queue
 * @param key of the record; empty for the key of the timer
 */
record TopicAddress(String topic, String key) {

    static final int MAX_TOPIC = 249;
    static final int MAX_KEY = 1_024;

    static final String TOPIC_RULE =
            "must be 1 to " + MAX_TOPIC + " letters, digits, '.', '_' and '-' of ASCII, and neither . nor ..";
    static final String KEY_RULE = "must be 1 to " + MAX_KEY + " characters";

    private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]{1," + MAX_TOPIC + "}");

    /** Takes an address apart as {@link #text} puts it together; no topic has a blank. */
    static TopicAddress parse(String address) {
        int blank = address.indexOf(' ');
        return blank < 0
                ? new TopicAddress(address, "")
                : new TopicAddress(address.substring(0, blank), address.substring(blank + 1));
    }

    /** Asks whether Kafka takes this as the name of a topic. */
    static boolean isTopic(String name) {
        return LEGAL.matcher(name).matches() && !name.equals(".") && !name.equals("..");
    }

    /** Asks whether both parts may be as they are. */
    boolean isValid() {
        return (topic.isEmpty() || isTopic(topic)) && key.length() <= MAX_KEY;
    }

    String text() {
        return key.isEmpty() ? topic : topic + " " + key;
    }
}
