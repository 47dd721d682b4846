package io.tickwheel.target.rocketmq;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Topics of RocketMQ: {@code {"rocketmq": {"topic": "orders", "key": "customer-7", "group": "customer-7", "tag": "unpaid"}}}. Without a topic a timer goes to the one with the name of
 * its queue, without a key its message has the key of the timer. Options, guarantees and limits are in {@code docs/targets/rocketmq.md}.
 */
public final class RocketmqTargetKind implements TargetKind {

    static final String NAME = "rocketmq";

    private static final String TOPIC = "topic";
    private static final String KEY = "key";
    private static final String GROUP = "group";
    private static final String TAG = "tag";

    /** Opens nothing: for whoever looks for kinds of targets. */
    public RocketmqTargetKind() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<String> fields() {
        return List.of(NAME);
    }

    @Override
    public String read(TargetFields fields) {
        TargetFields rocketmq = fields.object(NAME, TOPIC, KEY, GROUP, TAG);
        return new TopicAddress(
                        part(rocketmq, TOPIC, TopicAddress::isTopic, TopicAddress.TOPIC_RULE),
                        part(rocketmq, KEY, TopicAddress::isKey, TopicAddress.KEY_RULE),
                        part(rocketmq, GROUP, TopicAddress::isGroup, TopicAddress.GROUP_RULE),
                        part(rocketmq, TAG, TopicAddress::isTag, TopicAddress.TAG_RULE))
                .text();
    }

    private static String part(TargetFields fields, String name, Predicate<String> isLegal, String rule) {
        if (!fields.has(name)) {
            return "";
        }
        String text = fields.text(name);
        if (!isLegal.test(text)) {
            throw fields.invalid(name, InvalidTargetException.INVALID_TARGET, rule);
        }
        return text;
    }

    @Override
    public @Nullable Map<String, Object> write(String address) {
        TopicAddress parts;
        try {
            parts = TopicAddress.parse(address);
        } catch (IllegalArgumentException e) {
            return null;
        }
        if (!parts.isValid() || !parts.text().equals(address)) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        put(fields, TOPIC, parts.topic());
        put(fields, KEY, parts.key());
        put(fields, GROUP, parts.group());
        put(fields, TAG, parts.tag());
        return Map.of(NAME, fields);
    }

    private static void put(Map<String, Object> fields, String name, String part) {
        if (!part.isEmpty()) {
            fields.put(name, part);
        }
    }

    @Override
    public String readSetting(String text) {
        if (!text.isEmpty() && !TopicAddress.isTopic(text)) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, TopicAddress.TOPIC_RULE);
        }
        return new TopicAddress(text, "", "", "").text();
    }

    @Override
    public String settingForm() {
        return "rocketmq, or rocketmq and a topic";
    }

    @Override
    public List<KindOption> options() {
        return ClientOptions.OPTIONS;
    }

    /** Starts a producer, which connects when there is something to send; without addresses of proxies, each attempt fails. */
    @Override
    public Target open(TargetOptions options) {
        if (options.settings().isEmpty()) {
            return (attempt, delivery) -> delivery.fail("targets.rocketmq.endpoints is not set");
        }
        return new RocketmqTarget(options.clock(), ClientOptions.read(options));
    }
}
