package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a server says of itself in {@code INFO}, as far as it matters here. Immutable. */
final class ServerReport {

    private static final Pattern VERSION = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4}).*");
    private static final int LEAST_VERSION = version(6, 2);
    private static final int WAITAOF_VERSION = version(7, 2);

    private final Map<String, String> fields = new HashMap<>();
    private final Endpoint endpoint;

    ServerReport(Endpoint endpoint, String info) {
        this(endpoint, Map.of(), info);
    }

    private ServerReport(Endpoint endpoint, Map<String, String> before, String info) {
        this.endpoint = endpoint;
        fields.putAll(before);
        for (String line : info.split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
    }

    /** The same, with what it says later in a section of {@code INFO}. */
    ServerReport with(String section) {
        return new ServerReport(endpoint, fields, section);
    }

    /** What is wrong with it as a master of an address, with value and rule, or null. */
    @Nullable
    String problem(ServerAddress.Kind kind) {
        // Valkey's name of it is the other.
        String mode = fields.getOrDefault("server_mode", field("redis_mode"));
        if (mode.equals("sentinel")) {
            return endpoint + " is a sentinel, must be a server: for sentinels there is RedisAddress.sentinel";
        }
        if (!fields.containsKey("valkey_version") && version(field("redis_version")) < LEAST_VERSION) {
            return "redis_version of " + endpoint + " is " + field("redis_version") + ", must be at least 6.2";
        }
        boolean cluster = field("cluster_enabled").equals("1") || mode.equals("cluster");
        if (cluster && kind != ServerAddress.Kind.CLUSTER) {
            return endpoint + " is a node of a cluster: for a cluster there is RedisAddress.cluster";
        }
        if (!cluster && kind == ServerAddress.Kind.CLUSTER) {
            return endpoint + " is not a node of a cluster: for one server there is RedisAddress.single";
        }
        if (!field("role").equals("master")) {
            return "role of " + endpoint + " is " + field("role") + ", must be master";
        }
        if (!field("maxmemory_policy").equals("noeviction")) {
            return "maxmemory_policy of " + endpoint + " is " + field("maxmemory_policy")
                    + ", must be noeviction: it would lose timers";
        }
        return null;
    }

    /** Why nothing can be as durable there, or null. */
    @Nullable
    String cannot(Durability level) {
        boolean hasWaitAof = version(field("redis_version")) >= WAITAOF_VERSION
                && field("aof_enabled").equals("1");
        return hasWaitAof || level.kind() != Durability.Kind.FSYNC
                ? null
                : "durability is " + level
                        + ", which needs WAITAOF, of Redis 7.2 or Valkey, and appendonly yes; there is " + this;
    }

    /** Why what is so durable there may be lost nevertheless, or null. */
    @Nullable
    String doubt(Durability level) {
        String replicas = field("connected_slaves");
        boolean hasMore = level.kind() == Durability.Kind.REPLICATED
                && replicas.matches("[0-9]{1,6}")
                && Integer.parseInt(replicas) > level.copies();
        return hasMore
                ? "durability is " + level + ", and " + endpoint + " has " + replicas
                        + " replicas: one that lacks what was answered may be promoted, above all when a failover is ordered."
                        + " Only replicated(" + replicas + ") excludes that"
                : null;
    }

    private String field(String name) {
        return fields.getOrDefault(name, "unknown");
    }

    private static int version(String text) {
        Matcher parts = VERSION.matcher(text);
        return parts.matches() ? version(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2))) : 0;
    }

    private static int version(int major, int minor) {
        return major * 10_000 + minor;
    }

    @Override
    public String toString() {
        String valkey = fields.get("valkey_version");
        String name = valkey == null ? "Redis " + field("redis_version") : "Valkey " + valkey;
        return endpoint + " (" + name + ", appendonly " + (field("aof_enabled").equals("1") ? "yes" : "no") + ")";
    }
}
