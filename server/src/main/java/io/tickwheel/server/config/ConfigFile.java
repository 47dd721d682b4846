package io.tickwheel.server.config;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.source.yaml.YamlConfigSource;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.server.wire.TargetKinds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@code tickwheel serve}: a YAML file, and over it the environment, where {@code server.port} is {@code
 * TICKWHEEL_SERVER_PORT}.
 *
 * <p>{@code store.kind} is one of {@link StoreKinds}, such as {@code file}; the settings of the other kinds are refused.
 *
 * <pre>{@code
 * server:
 *   host: 127.0.0.1
 *   port: 7373
 *   drainTimeout: 30s
 * access:
 *   admin: 8f1d0c2b6a597e43:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
 * tls: terminated-elsewhere
 * store:
 *   file:
 *     directory: ./tickwheel-data
 *     segmentBytes: 67108864
 *     checkpointBytes: 268435456
 *     durability: sync
 * limits:
 *   attemptsPerQueue: 256
 *   attemptsInAll: 2048
 *   attemptBytes: 67108864
 *   loadedBytes: 134217728
 * dead:
 *   keptFor: 30d
 *   perQueue: 100000
 * retry:
 *   maxAttempts: 16
 *   backoff: 1s
 * queues:
 *   close-order:
 *     target: POST http://shop:8080/close
 *     rate: 100
 * }</pre>
 */
public final class ConfigFile {

    private static final String HOST = "server.host";
    private static final String PORT = "server.port";
    private static final String DRAIN_TIMEOUT = "server.drainTimeout";
    private static final String STORE = "store";
    private static final String KIND = "store.kind";
    private static final String ATTEMPTS_PER_QUEUE = "limits.attemptsPerQueue";
    private static final String ATTEMPTS_IN_ALL = "limits.attemptsInAll";
    private static final String ATTEMPT_BYTES = "limits.attemptBytes";
    private static final String LOADED_BYTES = "limits.loadedBytes";
    private static final String DEAD_FOR = "dead.keptFor";
    private static final String DEAD_PER_QUEUE = "dead.perQueue";
    private static final List<String> KEYS = Stream.of(
                    List.of(HOST, PORT, DRAIN_TIMEOUT, STORE, KIND),
                    StoreKinds.keys().toList(),
                    List.of(ATTEMPTS_PER_QUEUE, ATTEMPTS_IN_ALL, ATTEMPT_BYTES, LOADED_BYTES, DEAD_FOR, DEAD_PER_QUEUE),
                    RetrySettings.KEYS,
                    EdgeSettings.KEYS)
            .flatMap(List::stream)
            .toList();
    private static final int MAX_ATTEMPTS_AT_ONCE = 100_000;
    private static final long LEAST_BYTES = 1 << 20;
    private static final long MOST_BYTES = 1L << 40;

    private final SmallRyeConfig values;

    private final TargetKinds kinds;

    private ConfigFile(SmallRyeConfig values, TargetKinds kinds) {
        this.values = values;
        this.kinds = kinds;
    }

    /**
     * Reads the settings of a server.
     *
     * @throws StartException when the file cannot be read, or a setting is not known or breaks its rule
     */
    public static ServerConfig read(Path file, Map<String, String> environment, TargetKinds kinds) {
        YamlConfigSource yaml = YamlFile.read(file);
        SettingNames names = new SettingNames(KEYS, kinds, QueueConfig.PATTERNS);
        Map<String, String> variables = names.variables(environment);
        for (String name : yaml.getPropertyNames()) {
            boolean isElement = isInList(name) || names.isInListOfOption(name);
            if (!names.isKnown(name) && !QueueConfig.isOne(name) && !isElement) {
                throw names.unknown(file.toString(), name);
            }
        }
        SmallRyeConfig values = new SmallRyeConfigBuilder()
                .withSources(yaml, new PropertiesConfigSource(variables, "environment", 300))
                .build();
        return new ConfigFile(values, kinds).settings(yaml);
    }

    /**
     * The settings of a store on Redis without a file.
     *
     * @param uri goes over the one of the environment
     * @throws StartException when a setting is not known or breaks its rule
     */
    public static StoreConfig redis(String uri, Map<String, String> environment, TargetKinds kinds) {
        Map<String, String> settings = new TreeMap<>(new SettingNames(KEYS, kinds, List.of()).variables(environment));
        settings.remove(STORE);
        settings.put(KIND, RedisStoreKind.NAME);
        settings.put(RedisSettings.URI, uri);
        SmallRyeConfig values = new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(settings, "environment", 300))
                .build();
        return new ConfigFile(values, kinds).store();
    }

    private static boolean isInList(String name) {
        return StoreKinds.isInList(name) || RetrySettings.isInList(name);
    }

    private ServerConfig settings(YamlConfigSource yaml) {
        Map<String, Map<String, String>> targetOptions = targetOptions();
        ServerConfig defaults = ServerConfig.of(
                ServerConfig.DEFAULT_HOST, ServerConfig.DEFAULT_PORT, Path.of(FileStoreConfig.DEFAULT_DIRECTORY));
        return new ServerConfig(
                Settings.text(HOST, value(HOST, defaults.host())),
                Settings.integer(PORT, value(PORT, defaults.port()), 0, 65_535),
                store(),
                Settings.duration(
                        DRAIN_TIMEOUT,
                        value(DRAIN_TIMEOUT, defaults.drainTimeout()),
                        Duration.ZERO,
                        Duration.ofHours(1)),
                limits(defaults.limits()),
                RetrySettings.read(key -> values.getConfigValue(key).getValue()),
                QueueConfig.read(yaml.getPropertyNames(), name -> value(name, ""), configured(targetOptions)),
                targetOptions,
                sourceOptions(),
                EdgeSettings.read(key -> values.getConfigValue(key).getValue()));
    }

    /** So that the targets of queues are such as timers may have. */
    private TargetKinds configured(Map<String, Map<String, String>> options) {
        try {
            return kinds.configured(options);
        } catch (InvalidTargetException e) {
            throw new StartException(e.field() + " " + e.getMessage(), e);
        }
    }

    private EngineLimits limits(EngineLimits defaults) {
        return new EngineLimits(
                Settings.integer(
                        ATTEMPTS_PER_QUEUE,
                        value(ATTEMPTS_PER_QUEUE, defaults.attemptsPerQueue()),
                        1,
                        MAX_ATTEMPTS_AT_ONCE),
                Settings.integer(
                        ATTEMPTS_IN_ALL, value(ATTEMPTS_IN_ALL, defaults.attemptsInAll()), 1, MAX_ATTEMPTS_AT_ONCE),
                bytes(ATTEMPT_BYTES),
                bytes(LOADED_BYTES),
                Settings.duration(
                        DEAD_FOR, value(DEAD_FOR, defaults.deadFor()), Duration.ofHours(1), Duration.ofDays(36_500)),
                Settings.integer(DEAD_PER_QUEUE, value(DEAD_PER_QUEUE, defaults.deadPerQueue()), 0, Integer.MAX_VALUE));
    }

    private @Nullable Long bytes(String name) {
        String value = values.getConfigValue(name).getValue();
        return value == null ? null : Settings.number(name, value, LEAST_BYTES, MOST_BYTES);
    }

    private StoreConfig store() {
        boolean both = values.getConfigValue(STORE).getValue() != null
                && values.getConfigValue(KIND).getValue() != null;
        if (both) {
            throw new StartException(STORE + " and " + KIND + " are there, must be at most one");
        }
        String name = values.getConfigValue(STORE).getValue() != null ? STORE : KIND;
        String wanted = value(name, StoreKinds.ALL.get(0).name());
        StoreKind kind = StoreKinds.ALL.stream()
                .filter(each -> each.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> Settings.broken(name, wanted, "must be " + StoreKinds.names()));
        for (StoreKind other : StoreKinds.ALL) {
            if (other != kind) {
                refuse(other.keys(), name, wanted);
            }
        }
        return kind.read(key -> values.getConfigValue(key).getValue());
    }

    /** A setting of another kind of store would be without effect: somebody believes otherwise. */
    private void refuse(List<String> keys, String name, String kind) {
        for (String key : keys) {
            if (values.getConfigValue(key).getValue() != null) {
                throw new StartException(key + " is there, must not be with " + name + " " + kind);
            }
        }
    }

    private Map<String, Map<String, String>> targetOptions() {
        Map<String, Map<String, String>> all = new TreeMap<>();
        for (TargetKind kind : kinds.all()) {
            putOptions(all, kind.name(), kind.options(), option -> SettingNames.ofTarget(kind, option));
        }
        return all;
    }

    private Map<String, Map<String, String>> sourceOptions() {
        Map<String, Map<String, String>> all = new TreeMap<>();
        for (SourceKind kind : kinds.sources()) {
            putOptions(all, kind.name(), kind.options(), option -> SettingNames.ofSource(kind, option));
        }
        return all;
    }

    private void putOptions(
            Map<String, Map<String, String>> all, String kind, List<String> names, UnaryOperator<String> setting) {
        Map<String, String> options = new TreeMap<>();
        for (String option : names) {
            String value = values.getConfigValue(setting.apply(option)).getValue();
            if (value != null) {
                options.put(option, value);
            }
        }
        if (!options.isEmpty()) {
            all.put(kind, options);
        }
    }

    private String value(String name, Object absent) {
        String value = values.getConfigValue(name).getValue();
        return value == null ? absent.toString() : value;
    }
}
