package io.tickwheel.target.kafka;

import java.util.regex.Pattern;

/**
 * Where a timer goes in a cluster. Stored as the topic and, after a blank, the key of the record, or after a {@code #} the record that came in, each only if it is there:
 * {@code orders}, {@code orders customer-7}, {@code orders#AQAAAAAB}, the empty string.
 *
 * @param topic empty for the one with the name of the queue
 * @param key of the record; empty for the key of the timer
 * @param record key and headers as {@link StoredRecord} writes them, in place of the key; empty for none
 */
record TopicAddress(String topic, String key, String record) {

    static final int MAX_TOPIC = 249;
    static final int MAX_KEY = 1_024;

    static final String TOPIC_RULE =
            "must be 1 to " + MAX_TOPIC + " letters, digits, '.', '_' and '-' of ASCII, and neither . nor ..";
    static final String KEY_RULE = "must be 1 to " + MAX_KEY + " characters";

    private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]{1," + MAX_TOPIC + "}");
    private static final char BEFORE_KEY = ' ';
    private static final char BEFORE_RECORD = '#';

    /** Takes an address apart as {@link #text} puts it together; no topic has a blank or a {@code #}. */
    static TopicAddress parse(String address) {
        int end = 0;
        while (end < address.length() && address.charAt(end) != BEFORE_KEY && address.charAt(end) != BEFORE_RECORD) {
            end++;
        }
        String topic = address.substring(0, end);
        if (end == address.length()) {
            return new TopicAddress(topic, "", "");
        }
        String rest = address.substring(end + 1);
        return address.charAt(end) == BEFORE_KEY
                ? new TopicAddress(topic, rest, "")
                : new TopicAddress(topic, "", rest);
    }

    /** Asks whether Kafka takes this as the name of a topic. */
    static boolean isTopic(String name) {
        return LEGAL.matcher(name).matches() && !name.equals(".") && !name.equals("..");
    }

    /** Asks whether all parts may be as they are. */
    boolean isValid() {
        return (topic.isEmpty() || isTopic(topic))
                && key.length() <= MAX_KEY
                && (record.isEmpty() || StoredRecord.isValid(record));
    }

    String text() {
        if (!record.isEmpty()) {
            return topic + BEFORE_RECORD + record;
        }
        return key.isEmpty() ? topic : topic + BEFORE_KEY + key;
    }
}
