package io.tickwheel.server.config;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.server.wire.TargetKinds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
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
    private static final String TRACES = "traces.enabled";
    private static final String STORE = "store";
    private static final String KIND = "store.kind";
    private static final String ATTEMPTS_PER_QUEUE = "limits.attemptsPerQueue";
    private static final String ATTEMPTS_IN_ALL = "limits.attemptsInAll";
    private static final String ATTEMPT_BYTES = "limits.attemptBytes";
    private static final String LOADED_BYTES = "limits.loadedBytes";
    private static final String DEAD_FOR = "dead.keptFor";
    private static final String DEAD_PER_QUEUE = "dead.perQueue";
    private static final ServerConfig DEFAULTS = ServerConfig.of(
            ServerConfig.DEFAULT_HOST, ServerConfig.DEFAULT_PORT, Path.of(FileStoreConfig.DEFAULT_DIRECTORY));
    private static final List<Setting> SETTINGS = Stream.of(
                    List.of(
                            Setting.of(HOST, "address", DEFAULTS.host()),
                            Setting.of(PORT, "port", DEFAULTS.port()),
                            Setting.of(DRAIN_TIMEOUT, Setting.DURATION, DEFAULTS.drainTimeout())),
                    EdgeSettings.SETTINGS,
                    LogSettings.SETTINGS,
                    List.of(
                            Setting.of(TRACES, Setting.FLAG, DEFAULTS.hasTraces()),
                            Setting.of(STORE, StoreKinds.names()),
                            Setting.of(
                                    KIND,
                                    StoreKinds.names(),
                                    StoreKinds.ALL.get(0).name())),
                    StoreKinds.settings().toList(),
                    List.of(
                            Setting.of(
                                    ATTEMPTS_PER_QUEUE,
                                    Setting.INTEGER,
                                    DEFAULTS.limits().attemptsPerQueue()),
                            Setting.of(
                                    ATTEMPTS_IN_ALL,
                                    Setting.INTEGER,
                                    DEFAULTS.limits().attemptsInAll()),
                            Setting.of(ATTEMPT_BYTES, Setting.BYTES, "1/16 of the heap"),
                            Setting.of(LOADED_BYTES, Setting.BYTES, "1/8 of the heap"),
                            Setting.of(
                                    DEAD_FOR,
                                    Setting.DURATION,
                                    DEFAULTS.limits().deadFor()),
                            Setting.of(
                                    DEAD_PER_QUEUE,
                                    Setting.INTEGER,
                                    DEFAULTS.limits().deadPerQueue())),
                    RetrySettings.SETTINGS)
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
        return read(YamlFile.read(file), environment, kinds);
    }

    private static ServerConfig read(YamlFile yaml, Map<String, String> environment, TargetKinds kinds) {
        SettingNames names = names(kinds);
        Map<String, String> variables = names.variables(environment);
        for (String name : yaml.names()) {
            boolean isElement = isInList(name) || names.isInListOfOption(name);
            if (!names.isKnown(name) && !QueueConfig.isOne(name) && !isElement) {
                throw names.unknown(yaml.place(), name);
            }
        }
        return of(yaml, variables, kinds).settings(yaml.names());
    }

    /**
     * Tells of each setting that such a server has what holds, and why: those of queues where they are set, those of a store where it is of that kind.
     *
     * @param file null for none
     * @throws StartException as {@link #read}, and when strangers would reach the server, as {@link EdgeConfig#check}
     */
    public static List<ExplainedSetting> explain(
            @Nullable Path file, Map<String, String> environment, TargetKinds kinds) {
        YamlFile yaml = file == null ? YamlFile.EMPTY : YamlFile.read(file);
        ServerConfig config = read(yaml, environment, kinds);
        config.edge().check(config.host());
        SettingNames names = names(kinds);
        Map<String, String> variables = names.variables(environment);
        ConfigFile settings = of(yaml, variables, kinds);
        List<String> others = settings.otherStores();
        Stream<Setting> queues = yaml.names().stream()
                .filter(QueueConfig::isOne)
                .sorted()
                .map(name -> QueueConfig.settingOf(name).as(name));
        return Stream.concat(names.all().stream(), queues)
                .filter(setting -> !others.contains(setting.name()))
                .map(setting -> settings.explained(setting, yaml, variables))
                .toList();
    }

    private ExplainedSetting explained(Setting setting, YamlFile yaml, Map<String, String> variables) {
        String name = setting.name();
        String value = values.getConfigValue(name).getValue();
        String origin = "default";
        if (variables.containsKey(name)) {
            origin = "environment, " + SettingNames.variable(name);
        } else if (value != null) {
            origin = yaml.place(name);
        }
        String shown = value == null ? setting.absent() : setting.isSecret() ? Setting.HIDDEN : value;
        return new ExplainedSetting(name, shown, origin, setting.unit(), setting.absent());
    }

    /** The names of the settings of stores that this is not. */
    private List<String> otherStores() {
        String kind = storeKind().name();
        return StoreKinds.ALL.stream()
                .filter(other -> !other.name().equals(kind))
                .flatMap(other -> other.settings().stream())
                .map(Setting::name)
                .toList();
    }

    /** All settings that there are, those of queues with {@code NAME} for the name of one. */
    public static List<Setting> settings(TargetKinds kinds) {
        return Stream.concat(names(kinds).all().stream(), QueueConfig.SETTINGS.stream())
                .toList();
    }

    private static SettingNames names(TargetKinds kinds) {
        return new SettingNames(SETTINGS, kinds, QueueConfig.SETTINGS);
    }

    private static ConfigFile of(YamlFile yaml, Map<String, String> variables, TargetKinds kinds) {
        SmallRyeConfig values = new SmallRyeConfigBuilder()
                .withSources(yaml.source(), new PropertiesConfigSource(variables, "environment", 300))
                .build();
        return new ConfigFile(values, kinds);
    }

    /**
     * The settings of a store on Redis without a file.
     *
     * @param uri goes over the one of the environment
     * @throws StartException when a setting is not known or breaks its rule
     */
    public static StoreConfig redis(String uri, Map<String, String> environment, TargetKinds kinds) {
        Map<String, String> settings =
                new TreeMap<>(new SettingNames(SETTINGS, kinds, List.of()).variables(environment));
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

    private ServerConfig settings(Set<String> names) {
        Map<String, Map<String, String>> targetOptions = targetOptions();
        return new ServerConfig(
                Settings.text(HOST, value(HOST, DEFAULTS.host())),
                Settings.integer(PORT, value(PORT, DEFAULTS.port()), 0, 65_535),
                store(),
                Settings.duration(
                        DRAIN_TIMEOUT,
                        value(DRAIN_TIMEOUT, DEFAULTS.drainTimeout()),
                        Duration.ZERO,
                        Duration.ofHours(1)),
                limits(DEFAULTS.limits()),
                RetrySettings.read(key -> values.getConfigValue(key).getValue()),
                QueueConfig.read(names, name -> value(name, ""), configured(targetOptions)),
                targetOptions,
                sourceOptions(),
                EdgeSettings.read(key -> values.getConfigValue(key).getValue()),
                LogSettings.read(key -> values.getConfigValue(key).getValue()),
                Settings.flag(TRACES, value(TRACES, DEFAULTS.hasTraces())));
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
        StoreKind kind = storeKind();
        for (StoreKind other : StoreKinds.ALL) {
            if (other != kind) {
                refuse(other.settings(), kind.name());
            }
        }
        return kind.read(key -> values.getConfigValue(key).getValue());
    }

    private StoreKind storeKind() {
        boolean both = values.getConfigValue(STORE).getValue() != null
                && values.getConfigValue(KIND).getValue() != null;
        if (both) {
            throw new StartException(STORE + " and " + KIND + " are there, must be at most one");
        }
        String name = storeName();
        String wanted = value(name, StoreKinds.ALL.get(0).name());
        return StoreKinds.ALL.stream()
                .filter(each -> each.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> Settings.broken(name, wanted, "must be " + StoreKinds.names()));
    }

    private String storeName() {
        return values.getConfigValue(STORE).getValue() != null ? STORE : KIND;
    }

    /** A setting of another kind of store would be without effect: somebody believes otherwise. */
    private void refuse(List<Setting> settings, String kind) {
        for (Setting setting : settings) {
            if (values.getConfigValue(setting.name()).getValue() != null) {
                throw new StartException(setting.name() + " is there, must not be with " + storeName() + " " + kind);
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
            Map<String, Map<String, String>> all,
            String kind,
            List<KindOption> known,
            Function<KindOption, String> setting) {
        Map<String, String> options = new TreeMap<>();
        for (KindOption option : known) {
            String value = values.getConfigValue(setting.apply(option)).getValue();
            if (value != null) {
                options.put(option.name(), value);
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
