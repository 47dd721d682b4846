package io.tickwheel.target.rocketmq;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Where a timer goes. Stored as topic, key, group and tag with slashes between them, each encoded as in the query of a URL, empty where it was not named, and without the slashes at the end:
 * {@code orders}, {@code orders/customer-7}, {@code orders//room+1}, the empty string.
 *
 * @param topic empty for the one with the name of the queue
 * @param key by which the message is found; empty for the key of the timer
 * @param group whose messages keep their order; empty for none
 * @param tag by which consumers choose; empty for none
 */
record TopicAddress(String topic, String key, String group, String tag) {

    static final int MAX_TOPIC = 127;
    static final int MAX_KEY = 1_024;
    static final int MAX_GROUP_BYTES = 63;
    static final int MAX_TAG = 255;

    static final String TOPIC_RULE = "must be 1 to " + MAX_TOPIC
            + " letters, digits, '%', '_' and '-' of ASCII, and none of RocketMQ's own topics";
    static final String KEY_RULE = "must be 1 to " + MAX_KEY + " characters, neither blank nor control";
    static final String GROUP_RULE =
            "must be 1 to " + MAX_GROUP_BYTES + " bytes of UTF-8, not only blanks, and no control characters";
    static final String TAG_RULE =
            "must be 1 to " + MAX_TAG + " characters, not only blanks, and neither '|' nor control characters";

    private static final Pattern LEGAL = Pattern.compile("[%a-zA-Z0-9_-]{1," + MAX_TOPIC + "}");

    private static final String SYSTEM_PREFIX = "rmq_sys_";

    /** What brokers have for themselves, and take from no client. */
    private static final List<String> SYSTEM = List.of(
            "TBW102",
            "SCHEDULE_TOPIC_XXXX",
            "BenchmarkTest",
            "RMQ_SYS_TRANS_HALF_TOPIC",
            "RMQ_SYS_TRACE_TOPIC",
            "RMQ_SYS_TRANS_OP_HALF_TOPIC",
            "TRANS_CHECK_MAX_TIME_TOPIC",
            "SELF_TEST_TOPIC",
            "OFFSET_MOVED_EVENT",
            "CHECKPOINT_TOPIC");

    private static final int PARTS = 4;

    /**
     * Takes an address apart as {@link #text} puts it together.
     *
     * @throws IllegalArgumentException when it is none
     */
    static TopicAddress parse(String address) {
        String[] parts = address.split("/", -1);
        if (parts.length > PARTS) {
            throw new IllegalArgumentException("address has " + parts.length + " parts, must have at most " + PARTS);
        }
        String[] all = {"", "", "", ""};
        for (int i = 0; i < parts.length; i++) {
            all[i] = URLDecoder.decode(parts[i], StandardCharsets.UTF_8);
        }
        return new TopicAddress(all[0], all[1], all[2], all[3]);
    }

    /** The part of a stored address that says which topic, as it is written. */
    static String topicOf(String address) {
        int slash = address.indexOf('/');
        return slash < 0 ? address : address.substring(0, slash);
    }

    /** Asks whether RocketMQ takes messages for a topic of this name. */
    static boolean isTopic(String name) {
        return LEGAL.matcher(name).matches() && !SYSTEM.contains(name) && !name.startsWith(SYSTEM_PREFIX);
    }

    /** Asks whether this is one key: RocketMQ takes what is between blanks for several. */
    static boolean isKey(String key) {
        return isText(key) && key.length() <= MAX_KEY && key.chars().noneMatch(Character::isWhitespace);
    }

    static boolean isGroup(String group) {
        return isText(group) && group.getBytes(StandardCharsets.UTF_8).length <= MAX_GROUP_BYTES;
    }

    static boolean isTag(String tag) {
        return isText(tag) && tag.length() <= MAX_TAG && tag.indexOf('|') < 0;
    }

    /** Asks whether RocketMQ takes this as text beside a message. */
    static boolean isText(String text) {
        return !text.isBlank() && text.chars().noneMatch(Character::isISOControl);
    }

    /** Asks whether all parts may be as they are. */
    boolean isValid() {
        return (topic.isEmpty() || isTopic(topic))
                && (key.isEmpty() || isKey(key))
                && (group.isEmpty() || isGroup(group))
                && (tag.isEmpty() || isTag(tag));
    }

    String text() {
        String whole = encoded(topic) + "/" + encoded(key) + "/" + encoded(group) + "/" + encoded(tag);
        int end = whole.length();
        while (end > 0 && whole.charAt(end - 1) == '/') {
            end--;
        }
        return whole.substring(0, end);
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8);
    }
}
