package io.tickwheel.target.kafka;

import io.tickwheel.engine.InvalidTargetException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Topics of Kafka itself, such as {@code __consumer_offsets}: their names begin with two underscores, and what is written there changes what a cluster does. Nobody who may
 * schedule a timer reaches them unless an operator says so. Immutable.
 *
 * @param allowed whether timers may go there
 */
record InternalTopics(boolean allowed) {

    static final String OPTION = "internalTopics";

    private static final String BEGINNING = "__";

    /**
     * Reads the option.
     *
     * @throws InvalidTargetException with its name as the field, when it breaks its rule
     */
    static InternalTopics read(Map<String, String> settings) {
        String text = settings.getOrDefault(OPTION, "false");
        if (!text.equals("true") && !text.equals("false")) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, OPTION, "must be true or false");
        }
        return new InternalTopics(text.equals("true"));
    }

    /** Returns the rule that a topic breaks; null when timers may go there. */
    @Nullable
    String refusal(String topic) {
        return allowed || !topic.startsWith(BEGINNING)
                ? null
                : "must not begin with " + BEGINNING + ", as topics of Kafka itself do, unless targets.kafka." + OPTION
                        + " is true";
    }
}
