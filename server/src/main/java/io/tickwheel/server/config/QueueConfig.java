package io.tickwheel.server.config;

import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.server.wire.TargetKinds;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The settings under {@code queues.NAME}: what applies to a queue where nothing is set over the API. */
final class QueueConfig {

    private static final String PREFIX = "queues.NAME.";

    /** As they are called where NAME stands for any queue. */
    static final List<Setting> SETTINGS = List.of(
            Setting.of(PREFIX + "target", "target"),
            Setting.of(PREFIX + "rate", "attempts a second"),
            Setting.of(PREFIX + "burst", Setting.INTEGER, "a twentieth of the rate"),
            Setting.of(PREFIX + "concurrency", Setting.INTEGER),
            Setting.of(PREFIX + "paused", Setting.FLAG, false),
            Setting.of(PREFIX + "expireAfter", Setting.DURATION),
            Setting.of(PREFIX + "maxPending", Setting.INTEGER),
            Setting.of(PREFIX + "deadFor", Setting.DURATION),
            Setting.of(PREFIX + "deadPerQueue", Setting.INTEGER),
            Setting.of(PREFIX + "excerpts", Setting.FLAG, false),
            Setting.of(PREFIX + "cloudEvents", Setting.FLAG, false));

    private static final Pattern SETTING = Pattern.compile("queues\\.(?:\"([^\"]+)\"|([^\".]+))\\."
            + SETTINGS.stream()
                    .map(setting -> setting.name().substring(PREFIX.length()))
                    .collect(Collectors.joining("|", "(", ")")));
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final String prefix;
    private final Map<String, String> values;
    private final TargetKinds kinds;

    private QueueConfig(String prefix, Map<String, String> values, TargetKinds kinds) {
        this.prefix = prefix;
        this.values = values;
        this.kinds = kinds;
    }

    static boolean isOne(String name) {
        return SETTING.matcher(name).matches();
    }

    /** What is to be known of one that is there. */
    static Setting settingOf(String name) {
        Matcher matcher = SETTING.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(name);
        }
        return SETTINGS.stream()
                .filter(setting -> setting.name().equals(PREFIX + matcher.group(3)))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Reads them.
     *
     * @param names of all settings that there are
     * @param value of a setting
     */
    static Map<String, QueueSettings> read(Iterable<String> names, Function<String, String> value, TargetKinds kinds) {
        Map<String, QueueConfig> queues = new TreeMap<>();
        for (String name : names) {
            Matcher matcher = SETTING.matcher(name);
            if (matcher.matches()) {
                String queue = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
                String prefix =
                        name.substring(0, name.length() - matcher.group(3).length());
                queues.computeIfAbsent(
                                Settings.queue(name, queue),
                                unknown -> new QueueConfig(prefix, new LinkedHashMap<>(), kinds))
                        .values
                        .put(matcher.group(3), value.apply(name));
            }
        }
        Map<String, QueueSettings> settings = new TreeMap<>();
        queues.forEach((queue, config) -> settings.put(queue, config.settings()));
        return settings;
    }

    private QueueSettings settings() {
        QueueSettings settings = QueueSettings.NONE
                .with(
                        QueueSettings.Field.TARGET,
                        of("target", value -> Settings.target(prefix + "target", value, kinds)))
                .with(QueueSettings.Field.RATE, rate())
                .with(QueueSettings.Field.CONCURRENCY, integer("concurrency", 1, QueueSettings.MOST_CONCURRENCY))
                .with(QueueSettings.Field.PAUSED, flag("paused"))
                .with(QueueSettings.Field.EXPIRE_AFTER, duration("expireAfter", SHORTEST))
                .with(QueueSettings.Field.DEAD_FOR, duration("deadFor", QueueSettings.SHORTEST_DEAD_FOR))
                .with(QueueSettings.Field.DEAD_PER_QUEUE, integer("deadPerQueue", 0, Integer.MAX_VALUE));
        return settings.with(
                        QueueSettings.Field.MAX_PENDING,
                        of("maxPending", value -> Settings.number(prefix + "maxPending", value, 0, Long.MAX_VALUE)))
                .with(QueueSettings.Field.EXCERPTS, flag("excerpts"))
                .with(QueueSettings.Field.CLOUD_EVENTS, flag("cloudEvents"));
    }

    private @Nullable RateLimit rate() {
        Double rate = of("rate", value -> Settings.decimal(prefix + "rate", value, RateLimit.LEAST, RateLimit.MOST));
        Integer burst = integer("burst", 1, RateLimit.MOST_BURST);
        if (rate == null && burst != null) {
            throw new StartException(prefix + "burst is there, must be with " + prefix + "rate only");
        }
        if (rate == null) {
            return null;
        }
        return burst == null ? RateLimit.of(rate) : new RateLimit(rate, burst);
    }

    private @Nullable Integer integer(String name, int least, int most) {
        return of(name, value -> Settings.integer(prefix + name, value, least, most));
    }

    private @Nullable Boolean flag(String name) {
        return of(name, value -> Settings.flag(prefix + name, value));
    }

    private @Nullable Duration duration(String name, Duration shortest) {
        return of(name, value -> Settings.durationInMs(prefix + name, value, shortest, LONGEST));
    }

    private <T> @Nullable T of(String name, Function<String, T> read) {
        String value = values.get(name);
        return value == null ? null : read.apply(value);
    }
}
