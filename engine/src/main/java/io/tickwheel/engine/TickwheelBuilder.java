package io.tickwheel.engine;

import io.tickwheel.engine.inbox.EngineOptions;
import io.tickwheel.engine.loop.EngineLoop;
import io.tickwheel.engine.watch.EngineCounts;
import io.tickwheel.engine.watch.FullStoreLog;
import io.tickwheel.engine.watch.ListenerGuard;
import io.tickwheel.store.TimerStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The options of a {@link Tickwheel}. Not thread-safe; for one {@link #open} each. */
public final class TickwheelBuilder {

    private static final int MIN_LOADED_TIMERS = 1_024;
    private static final long MIN_BYTES = 1 << 20;

    /** A hundred years: nanoseconds can count it. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final TimerStore store;
    private final Map<String, Target> targets = new HashMap<>();
    private final Map<String, QueueSettings> queues = new HashMap<>();
    private Clock clock = Clock.system();
    private @Nullable Threads threads;
    private @Nullable LongSupplier random;
    private @Nullable Executor answers;
    private final List<EngineListener> listeners = new ArrayList<>();
    private RetryPolicy retry = RetryPolicy.DEFAULT;
    private WhenFull whenFull = WhenFull.BLOCK;
    private Duration drainTimeout = Duration.ofSeconds(30);
    private int attemptsPerQueue = 256;
    private int attemptsInAll = 2_048;
    private long attemptBytes = Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / 16);
    private int loadedTimers = 262_144;
    private long loadedBytes = Math.max(MIN_BYTES, Runtime.getRuntime().maxMemory() / 8);

    private Duration deadFor = Duration.ofDays(30);
    private int deadPerQueue = 100_000;
    private CompletableFuture<?> deliverAfter = CompletableFuture.completedFuture(null);

    TickwheelBuilder(TimerStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    /** Makes a target known under a name that destinations use. */
    public TickwheelBuilder target(String name, Target target) {
        targets.put(name, Objects.requireNonNull(target, "target"));
        return this;
    }

    /** Where timers of a queue go that name no destination; none by default. */
    public TickwheelBuilder queueDestination(String queue, Destination destination) {
        return queue(queue, QueueSettings.NONE.withTarget(destination));
    }

    /** What applies to a queue where {@link Tickwheel#changeQueue} has set nothing; in addition to what was said of it before. */
    public TickwheelBuilder queue(String queue, QueueSettings settings) {
        TimerNames.checkQueue(queue);
        queues.merge(queue, settings, (before, now) -> now.over(before));
        return this;
    }

    /** The clocks; {@link Clock#system} by default. */
    public TickwheelBuilder clock(Clock clock) {
        this.clock = clock;
        return this;
    }

    /** Where the engine runs; threads of its own by default. */
    public TickwheelBuilder threads(Threads threads) {
        this.threads = threads;
        return this;
    }

    /** 64 random bits at each call, for jitter and identities; a secure source by default. */
    public TickwheelBuilder random(LongSupplier random) {
        this.random = random;
        return this;
    }

    /** Completes the futures, a batch at a time; a thread of the engine by default. */
    public TickwheelBuilder answers(Executor answers) {
        this.answers = answers;
        return this;
    }

    /** Told what happens, beside those that were named before; nobody by default. */
    public TickwheelBuilder listener(EngineListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /** How timers without a rule of their own are retried; {@link RetryPolicy#DEFAULT} by default. */
    public TickwheelBuilder retry(RetryPolicy retry) {
        this.retry = retry;
        return this;
    }

    /** What a command does when too many wait for their answer; {@link WhenFull#BLOCK} by default. */
    public TickwheelBuilder whenFull(WhenFull whenFull) {
        this.whenFull = whenFull;
        return this;
    }

    /** How long closing waits for running attempts, and for answers of other nodes about their leases; 30 s by default, 0 to 36,500 days. */
    public TickwheelBuilder drainTimeout(Duration drainTimeout) {
        this.drainTimeout = within("drainTimeout", drainTimeout, Duration.ZERO);
        return this;
    }

    /**
     * How many attempts of one queue run at once; 256 by default, from 1. When its timers name addresses of their own, one address has
     * at most seven eighths of them, and where there are several they are divided, so that one that hangs does not stop the others.
     */
    public TickwheelBuilder attemptsPerQueue(int attemptsPerQueue) {
        this.attemptsPerQueue = positive("attemptsPerQueue", attemptsPerQueue);
        return this;
    }

    /** How many attempts run at once; 2,048 by default, from 1. */
    public TickwheelBuilder attemptsInAll(int attemptsInAll) {
        this.attemptsInAll = positive("attemptsInAll", attemptsInAll);
        return this;
    }

    /**
     * How much content the attempts that run at once may have, in bytes; a sixteenth of the largest heap by default, from 1 MiB.
     * An attempt takes two to three times its content. A content that is larger than half of this counts as half. Queues and hosts of
     * which no attempt runs may start one until there is twice as much, as others may hang.
     */
    public TickwheelBuilder attemptBytes(long attemptBytes) {
        this.attemptBytes = atLeast("attemptBytes", attemptBytes, MIN_BYTES);
        return this;
    }

    /**
     * How many timers are in memory because they are due soon, or due and waiting for a credit; 262,144 by default, from
     * 1,024, and fewer where {@link #loadedBytes} says so. The others stay in the store until there is room. At most half of
     * them have been due for more than a second, and no queue has so many that there is no room for the others.
     */
    public TickwheelBuilder loadedTimers(int loadedTimers) {
        if (loadedTimers < MIN_LOADED_TIMERS) {
            throw new IllegalArgumentException(
                    "loadedTimers is " + loadedTimers + ", must be at least " + MIN_LOADED_TIMERS);
        }
        this.loadedTimers = loadedTimers;
        return this;
    }

    /**
     * How much memory these may take, about, in bytes; an eighth of the largest heap by default, from 1 MiB. A timer of a store on
     * files takes about 200 bytes, one of a store on Redis about 400 and twice its key.
     */
    public TickwheelBuilder loadedBytes(long loadedBytes) {
        this.loadedBytes = atLeast("loadedBytes", loadedBytes, MIN_BYTES);
        return this;
    }

    /**
     * How long dead timers are kept, and how many of a queue; 30 days and 100,000 by default. It is looked at once an hour; of too many, those
     * whose last attempt was due first are purged first.
     *
     * @param keptFor an hour to 36,500 days
     * @param perQueue from 0
     */
    public TickwheelBuilder deadTimers(Duration keptFor, int perQueue) {
        Duration kept = within("keptFor", keptFor, Duration.ofHours(1));
        if (perQueue < 0) {
            throw new IllegalArgumentException("perQueue is " + perQueue + ", must not be negative");
        }
        this.deadFor = kept;
        this.deadPerQueue = perQueue;
        return this;
    }

    /**
     * Has timers wait until a future has completed: nothing is delivered, leased or worked on before, and never when it fails. Commands are taken
     * all the while. By default there is nothing to wait for.
     */
    public TickwheelBuilder deliverAfter(CompletableFuture<?> allowed) {
        this.deliverAfter = Objects.requireNonNull(allowed, "allowed");
        return this;
    }

    /** Opens the store and starts. Blocks until everything accepted before is recovered. */
    public Tickwheel open() {
        Threads running = threads != null ? threads : new SystemThreads();
        EngineCounts counts = new EngineCounts();
        List<EngineListener> told = new ArrayList<>(List.of(new FullStoreLog(clock)));
        told.addAll(listeners);
        try {
            EngineOptions options = new EngineOptions(
                    clock,
                    running,
                    random != null ? random : SystemRandom.secure(),
                    answers != null ? answers : running.serial("answers"),
                    new ListenerGuard(counts, told),
                    Map.copyOf(targets),
                    Map.copyOf(queues),
                    retry,
                    whenFull,
                    drainTimeout,
                    attemptsPerQueue,
                    attemptsInAll,
                    attemptBytes,
                    loadedTimers,
                    loadedBytes,
                    deadFor,
                    deadPerQueue,
                    deliverAfter);
            return new EmbeddedTickwheel(EngineLoop.open(store, options), counts);
        } catch (RuntimeException | Error e) {
            running.close();
            throw e;
        }
    }

    private static Duration within(String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " is " + value + ", must be " + least + " to " + LONGEST);
        }
        return value;
    }

    private static long atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is " + value + ", must be at least " + least);
        }
        return value;
    }

    private static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + ", must be at least 1");
        }
        return value;
    }
}
