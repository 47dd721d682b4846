package io.tickwheel.server.config;

import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings of a store on Redis. The ranges and the defaults are those of the store; what it refuses ends the start
 * with the name of the setting. No password is ever in a message.
 */
final class RedisSettings {

    private static final String PREFIX = "store.redis.";
    static final String URI = PREFIX + "uri";
    private static final String SENTINEL_MASTER = PREFIX + "sentinelMaster";
    private static final String CLUSTER = PREFIX + "cluster";
    private static final String USERNAME = PREFIX + "username";
    private static final String PASSWORD = PREFIX + "password";
    private static final String SENTINEL_USERNAME = PREFIX + "sentinelUsername";
    private static final String SENTINEL_PASSWORD = PREFIX + "sentinelPassword";
    private static final String SERVER_TLS = PREFIX + "serverTls";
    private static final String CERTIFICATE_AUTHORITY = PREFIX + "certificateAuthority";
    private static final String CLIENT_CERTIFICATE = PREFIX + "clientCertificate";
    private static final String CLIENT_KEY = PREFIX + "clientKey";
    private static final String HOSTNAME_CHECK = PREFIX + "hostnameCheck";
    private static final String NAMESPACE = PREFIX + "namespace";
    private static final String PARTITIONS = PREFIX + "partitions";
    private static final String DURABILITY = PREFIX + "durability";
    private static final String NODE = PREFIX + "node";
    private static final String LEASE = PREFIX + "lease";
    private static final String TIMEOUT = PREFIX + "timeout";
    private static final String FINISHED_REMEMBERED = PREFIX + "finishedRemembered";
    private static final String FILE = "File";

    static final List<Setting> SETTINGS = List.of(
            Setting.of(URI, "redis:// URI, or several", RedisStoreConfig.DEFAULT_URI),
            Setting.of(SENTINEL_MASTER, Setting.TEXT),
            Setting.of(CLUSTER, Setting.FLAG, false),
            Setting.of(USERNAME, Setting.TEXT, "the default user"),
            Setting.secret(PASSWORD),
            Setting.of(PASSWORD + FILE, Setting.FILE),
            Setting.of(SENTINEL_USERNAME, Setting.TEXT, "the default user"),
            Setting.secret(SENTINEL_PASSWORD),
            Setting.of(SENTINEL_PASSWORD + FILE, Setting.FILE),
            Setting.of(SERVER_TLS, Setting.FLAG, "as the addresses"),
            Setting.of(CERTIFICATE_AUTHORITY, Setting.FILE, "those of the JVM"),
            Setting.of(CLIENT_CERTIFICATE, Setting.FILE),
            Setting.of(CLIENT_KEY, Setting.FILE),
            Setting.of(HOSTNAME_CHECK, Setting.FLAG, true),
            Setting.of(NAMESPACE, Setting.TEXT, RedisStoreConfig.DEFAULT_NAMESPACE),
            Setting.of(PARTITIONS, Setting.INTEGER, "as many as there are, or 64"),
            Setting.of(DURABILITY, "memory, replicated(n) or fsync(n)", "memory"),
            Setting.of(NODE, Setting.TEXT, "a random one"),
            Setting.of(LEASE, Setting.DURATION, "5s"),
            Setting.of(TIMEOUT, Setting.DURATION, "10s"),
            Setting.of(FINISHED_REMEMBERED, Setting.INTEGER, "100000"));

    private final Function<String, @Nullable String> values;

    private RedisSettings(Function<String, @Nullable String> values) {
        this.values = values;
    }

    /** Whether a name is what the YAML reader calls an element of the list of addresses. */
    static boolean isInList(String name) {
        return name.startsWith(URI + "[");
    }

    /**
     * @param values by the name of the setting; null for one that is not there
     * @throws StartException when a setting breaks its rule
     */
    static RedisStoreConfig read(Function<String, @Nullable String> values) {
        RedisSettings settings = new RedisSettings(values);
        RedisAddress address = settings.address();
        String namespace = settings.values.apply(NAMESPACE);
        return new RedisStoreConfig(
                address, namespace == null ? RedisStoreConfig.DEFAULT_NAMESPACE : namespace, settings.store(address));
    }

    private RedisAddress address() {
        RedisAddress address = with(place(), USERNAME, RedisAddress::withUsername);
        address = with(address, PASSWORD, passwordOf(USERNAME, PASSWORD), RedisAddress::withPassword);
        address = with(address, SENTINEL_USERNAME, RedisAddress::withSentinelUsername);
        address = with(
                address,
                SENTINEL_PASSWORD,
                passwordOf(SENTINEL_USERNAME, SENTINEL_PASSWORD),
                RedisAddress::withSentinelPassword);
        return certified(address);
    }

    /** A password, which must be there when its user is. */
    private @Nullable String passwordOf(String username, String name) {
        String password = secret(name);
        if (password == null && values.apply(username) != null) {
            throw new StartException(
                    username + " is there without " + name + " or " + name + FILE + ", must have one of them");
        }
        return password;
    }

    /** One server, sentinels or a cluster. */
    private RedisAddress place() {
        String[] uris = uris();
        String master = values.apply(SENTINEL_MASTER);
        boolean cluster = flag(CLUSTER, false);
        if (master != null && cluster) {
            throw new StartException(SENTINEL_MASTER + " and " + CLUSTER + " are there, must be at most one");
        }
        if (master != null) {
            String name = Settings.text(SENTINEL_MASTER, master);
            return taken(URI, () -> RedisAddress.sentinel(name, uris));
        }
        if (cluster) {
            return taken(URI, () -> RedisAddress.cluster(uris));
        }
        if (uris.length > 1) {
            throw new StartException(URI + " has " + uris.length + " addresses, must be one unless there is "
                    + SENTINEL_MASTER + " or " + CLUSTER);
        }
        return taken(URI, () -> RedisAddress.single(uris[0]));
    }

    private String[] uris() {
        String text = values.apply(URI);
        if (text == null) {
            return new String[] {RedisStoreConfig.DEFAULT_URI};
        }
        if (text.indexOf('@') >= 0) {
            throw new StartException(URI + " has a user or a password in it, so that it is not shown; they must be in "
                    + USERNAME + " and " + PASSWORD + FILE);
        }
        return Stream.of(text.split(",", -1)).map(String::strip).toArray(String[]::new);
    }

    private RedisAddress certified(RedisAddress open) {
        RedisAddress address = with(
                open,
                SERVER_TLS,
                (it, value) -> Settings.flag(SERVER_TLS, value) ? it.withServerTls() : it.withoutServerTls());
        address = with(
                address,
                CERTIFICATE_AUTHORITY,
                (it, value) -> it.withCertificateAuthority(Settings.file(CERTIFICATE_AUTHORITY, value)));
        String key = values.apply(CLIENT_KEY);
        if ((values.apply(CLIENT_CERTIFICATE) == null) != (key == null)) {
            throw new StartException(
                    "one of " + CLIENT_CERTIFICATE + " and " + CLIENT_KEY + " is there, must be both or none");
        }
        if (key != null) {
            address = with(
                    address,
                    CLIENT_CERTIFICATE,
                    (it, value) -> it.withClientCertificate(
                            Settings.file(CLIENT_CERTIFICATE, value), Settings.file(CLIENT_KEY, key)));
        }
        return flag(HOSTNAME_CHECK, true) ? address : taken(HOSTNAME_CHECK, address::withoutHostnameCheck);
    }

    private RedisTimerStore store(RedisAddress address) {
        RedisTimerStore store = RedisTimerStore.at(address);
        store = with(store, NAMESPACE, RedisTimerStore::withNamespace);
        store = with(store, PARTITIONS, (it, value) -> it.withPartitions(number(PARTITIONS, value)));
        store = with(store, DURABILITY, (it, value) -> it.withDurability(durability(value)));
        store = with(store, NODE, RedisTimerStore::withNode);
        store = with(store, LEASE, (it, value) -> it.withLease(duration(LEASE, value)));
        store = with(store, TIMEOUT, (it, value) -> it.withTimeout(duration(TIMEOUT, value)));
        return with(
                store,
                FINISHED_REMEMBERED,
                (it, value) -> it.withFinishedRemembered(number(FINISHED_REMEMBERED, value)));
    }

    private static int number(String name, String value) {
        return Settings.integer(name, value, 0, Integer.MAX_VALUE);
    }

    private static Durability durability(String value) {
        try {
            return Durability.parse(value);
        } catch (IllegalArgumentException e) {
            throw Settings.broken(DURABILITY, value, "must be memory, replicated(n) or fsync(n)");
        }
    }

    private static Duration duration(String name, String value) {
        return Settings.duration(name, value, Duration.ofMillis(1), Duration.ofDays(1));
    }

    private boolean flag(String name, boolean absent) {
        String value = values.apply(name);
        return value == null ? absent : Settings.flag(name, value);
    }

    /** A password, as it is there or as the only line of a file. */
    private @Nullable String secret(String name) {
        String value = values.apply(name);
        String file = values.apply(name + FILE);
        if (file == null) {
            return value;
        }
        if (value != null) {
            throw new StartException(name + " and " + name + FILE + " are there, must be at most one");
        }
        Path path = Settings.file(name + FILE, file);
        List<String> lines;
        try {
            lines = Files.readAllLines(path);
        } catch (IOException e) {
            throw Settings.broken(name + FILE, file, "must be a file of text that can be read");
        }
        if (lines.size() != 1) {
            throw Settings.broken(name + FILE, file, "must be a file of one line, has " + lines.size());
        }
        return lines.get(0);
    }

    /** What a setting that is there changes. */
    private <T> T with(T unchanged, String name, BiFunction<T, String, T> change) {
        return with(unchanged, name, values.apply(name), change);
    }

    private static <T> T with(T unchanged, String name, @Nullable String value, BiFunction<T, String, T> change) {
        return value == null ? unchanged : taken(name, () -> change.apply(unchanged, value));
    }

    private static <T> T taken(String name, Supplier<T> change) {
        try {
            return change.get();
        } catch (IllegalArgumentException e) {
            throw new StartException(name + ": " + Excerpt.sentence(String.valueOf(e.getMessage())), e);
        }
    }
}
