package io.tickwheel.store.redis;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.redis.layout.Layout;
import java.time.Duration;

/**
 * Timers on Redis or Valkey, shared by any number of nodes that open the same namespace. Each node takes every command, and
 * delivers the timers of the partitions that it owns. Immutable and thread-safe; each {@code with} method gives a changed
 * copy.
 *
 * <pre>{@code
 * RedisTimerStore store = RedisTimerStore.at(RedisAddress.single("redis://localhost:6379"))
 *         .withDurability(Durability.replicated(1));
 * try (Tickwheel timers = Tickwheel.open(store)) { ... }
 * }</pre>
 */
public final class RedisTimerStore implements TimerStore {

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(200);
    private static final Duration LONGEST_LEASE = Duration.ofMinutes(1);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);

    private final RedisOptions options;

    private RedisTimerStore(RedisOptions options) {
        this.options = options;
    }

    /** A store there, with the default options. */
    public static RedisTimerStore at(RedisAddress address) {
        return new RedisTimerStore(RedisOptions.defaults(address));
    }

    /** Under which name it lies there; {@code tickwheel} by default: 1 to 64 of {@code a-z A-Z 0-9 . _ -}. */
    public RedisTimerStore withNamespace(String namespace) {
        return new RedisTimerStore(options.withNamespace(name("namespace", namespace)));
    }

    /**
     * Into how many partitions it is divided: 1 to 1,024, fixed from the first opening on. Unless told, as many as it has, and 64 when it
     * is new. Nodes share the partitions, so there are to be many more than nodes; but the more there are, the fewer commands Redis carries
     * out together, and the longer each takes it.
     */
    public RedisTimerStore withPartitions(int partitions) {
        if (partitions < 1 || partitions > Layout.MAX_PARTITIONS) {
            throw new IllegalArgumentException(
                    "partitions is " + partitions + ", must be 1 to " + Layout.MAX_PARTITIONS);
        }
        return new RedisTimerStore(options.withPartitions(partitions));
    }

    /**
     * What is certain once a command is answered, unless it asks for another level; {@code MEMORY} by default. A command
     * whose level was not reached in time is answered with an unknown outcome.
     */
    public RedisTimerStore withDurability(Durability durability) {
        if (!RedisOptions.offers(durability)) {
            throw new IllegalArgumentException(
                    "durability is " + durability + ", must be memory, replicated(n) or fsync(n) for a store on Redis");
        }
        return new RedisTimerStore(options.withDurability(durability));
    }

    /**
     * The name of this node, unique among those that run; a random one by default. 1 to 64 of {@code a-z A-Z 0-9 . _ -}.
     * Opening is refused while another node of that name is alive.
     */
    public RedisTimerStore withNode(String node) {
        return new RedisTimerStore(options.withNode(name("node", node)));
    }

    /** How long a node that has died keeps what it owned and what it had claimed; 5 s by default, 200 ms to 1 min. */
    public RedisTimerStore withLease(Duration lease) {
        return new RedisTimerStore(options.withLease(within("lease", lease, SHORTEST_LEASE, LONGEST_LEASE)));
    }

    /**
     * How long a command is tried before it is answered that it was not applied, or that its outcome is unknown; 10 s by
     * default, which outlasts a failover, 100 ms to 1 min. No command takes effect later than that; its answer can take as long again, when
     * the server has it and does not reply.
     */
    public RedisTimerStore withTimeout(Duration timeout) {
        return new RedisTimerStore(options.withTimeout(within("timeout", timeout, SHORTEST_TIMEOUT, LONGEST_TIMEOUT)));
    }

    /** How many completed, cancelled and expired timers are remembered, about, the last ones: 100,000 by default, from 0. */
    public RedisTimerStore withFinishedRemembered(int finishedRemembered) {
        if (finishedRemembered < 0) {
            throw new IllegalArgumentException("finishedRemembered is " + finishedRemembered + ", must be at least 0");
        }
        return new RedisTimerStore(options.withFinishedRemembered(finishedRemembered));
    }

    @Override
    public Calendar open(StoreContext context, CalendarListener listener) {
        return CalendarOpening.open(options, context, listener);
    }

    /** All options, and no secret. */
    @Override
    public String toString() {
        return options.toString();
    }

    private static String name(String what, String name) {
        if (!name.matches("[a-zA-Z0-9._-]{1,64}")) {
            throw new IllegalArgumentException(
                    what + " is " + name + ", must be 1 to 64 letters, digits, dots, underscores or hyphens");
        }
        return name;
    }

    private static Duration within(String what, Duration value, Duration shortest, Duration longest) {
        if (value.compareTo(shortest) < 0 || value.compareTo(longest) > 0) {
            throw new IllegalArgumentException(what + " is " + value + ", must be from " + shortest + " to " + longest);
        }
        return value;
    }
}
