package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to the servers, on Lettuce. Routes by itself: the cluster is asked for the masters of the slots, sentinels for their
 * one master, and each master has two connections, one for calls that are done when they are answered, and one for those that
 * are to be durable. All state is the loop's; threads of the network only fill the inbox. {@link CallRouter} shows the way of a call.
 */
public final class LettuceLink implements Link, ServerEvents {

    private static final long WAIT_MILLIS = 1_000;
    private static final long OPEN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CALM_IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long BUSY_IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long CARE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ServerAddress address;
    private final LinkContext context;
    private final CallRouter router;

    /** Null when there is nobody to ask. */
    private final @Nullable TopologyRefresh refresh;

    private final List<Subscription> subscriptions = new ArrayList<>();
    private @Nullable Greeting greeting;
    private String misfit = "";
    private long careNanos;

    private LettuceLink(LinkContext context) {
        this.context = context;
        address = context.address;
        careNanos = context.now();
        router = new CallRouter(context, this);
        refresh = refresh();
        if (address.kind() == ServerAddress.Kind.SENTINEL) {
            // Only a hint, which saves the time until they are asked again.
            subscriptions.add(
                    new Subscription(context, true, this::anySentinel, "+switch-master", text -> lookAgain()));
        }
    }

    private Endpoint anySentinel(@Nullable Endpoint current) {
        return current == null ? context.anyEndpoint() : current;
    }

    private @Nullable TopologyRefresh refresh() {
        return switch (address.kind()) {
            case SINGLE -> null;
            case SENTINEL ->
                new TopologyRefresh(
                        context,
                        router,
                        true,
                        () -> address.endpoints(),
                        found -> router.setMaster(Topology.master(found, address.masterName())),
                        "SENTINEL",
                        "GET-MASTER-ADDR-BY-NAME",
                        address.masterName());
            case CLUSTER ->
                new TopologyRefresh(
                        context,
                        router,
                        false,
                        () -> router.routes().candidates(address.endpoints()),
                        found -> router.setMasters(Topology.masters(found)),
                        "CLUSTER",
                        "SLOTS");
        };
    }

    /**
     * Connects to all masters and checks them.
     *
     * @param timeout how long to wait for a reply, and for a connection
     * @param monoNanos a clock that never goes back
     * @param randoms random numbers: one is taken, for the pauses before connections are opened again
     * @param waker called, from any thread, when there is something for {@link #deliver}, and a few times a second: timeouts
     *     are found there
     * @throws StoreUnavailableException when a server could not be reached
     * @throws StoreException when a server is not as it must be
     */
    public static LettuceLink open(
            ServerAddress address, Duration timeout, LongSupplier monoNanos, LongSupplier randoms, Runnable waker) {
        return open(address, timeout, Duration.ofMillis(WAIT_MILLIS), monoNanos, randoms, waker);
    }

    /**
     * Connects to all masters and checks them.
     *
     * @param waitLimit how long to wait for replicas, at least one millisecond
     */
    static LettuceLink open(
            ServerAddress address,
            Duration timeout,
            Duration waitLimit,
            LongSupplier monoNanos,
            LongSupplier randoms,
            Runnable waker) {
        SplittableRandom random = new SplittableRandom(randoms.getAsLong());
        LettuceLink link = new LettuceLink(new LinkContext(address, timeout, waitLimit, monoNanos, random, waker));
        try {
            link.connect();
            return link;
        } catch (StoreException e) {
            link.close();
            throw e;
        }
    }

    private void connect() {
        if (refresh == null) {
            router.setMaster(address.endpoints().get(0));
        }
        long end = context.now() + OPEN_LIMIT_NANOS;
        while (!router.routes().areOpen()) {
            turn();
            if (!misfit.isEmpty()) {
                throw new StoreException(misfit);
            }
            String trouble = router.routes().trouble();
            if (refresh != null && refresh.failures() >= address.endpoints().size()) {
                trouble = refresh.trouble();
            }
            if (!trouble.isEmpty()) {
                throw new StoreUnavailableException(address + ": " + trouble, false);
            }
            if (context.now() - end > 0 || Thread.currentThread().isInterrupted()) {
                throw new StoreUnavailableException(
                        address + ": " + router.routes().gap(), false);
            }
            context.inbox.await(PARK_NANOS);
        }
    }

    @Override
    public void send(Call call) {
        var unused = router.enter(call, false);
    }

    @Override
    public void flush() {
        router.flush();
    }

    @Override
    public int deliver(int limit) {
        turn();
        return router.deliver(limit);
    }

    private void turn() {
        context.inbox.drain();
        long now = context.now();
        if (now - careNanos > context.timeoutNanos / 4) {
            // The loop has not turned, and perhaps nothing else: replies that are there already get the time to be
            // read.
            careNanos = now + CARE_NANOS;
        } else if (now - careNanos >= 0) {
            careNanos = now + CARE_NANOS;
            if (refresh != null) {
                refresh.care(now);
            }
            router.care(now);
            subscriptions.forEach(each -> each.care(now));
        }
        router.pump();
    }

    @Override
    public boolean isQuiet() {
        return router.isQuiet() && context.inbox.isEmpty();
    }

    @Override
    public Reply await(Call call, Duration timeout) {
        PendingCall pending = router.enter(call, true);
        flush();
        long end = context.now() + timeout.toNanos();
        while (pending.reply == null) {
            turn();
            if (pending.reply == null
                    && (context.now() - end > 0 || Thread.currentThread().isInterrupted())) {
                Reply.Outcome known = pending.sent ? Reply.Outcome.UNKNOWN : Reply.Outcome.UNAVAILABLE;
                router.settled(pending, new Reply(known, null, "no reply in " + timeout, 0));
            }
            if (pending.reply == null) {
                context.inbox.await(PARK_NANOS);
            }
        }
        return pending.reply;
    }

    @Override
    public @Nullable String cannot(Durability level) {
        return router.routes().cannot(level);
    }

    @Override
    public @Nullable String doubt(Durability level) {
        return router.routes().doubt(level);
    }

    @Override
    public boolean isCluster() {
        return address.kind() == ServerAddress.Kind.CLUSTER;
    }

    @Override
    public void greet(Greeting asked) {
        greeting = asked;
    }

    @Override
    public @Nullable Greeting greeting() {
        return greeting;
    }

    @Override
    public void subscribe(String channel, Consumer<String> receiver) {
        subscriptions.add(new Subscription(
                context,
                false,
                router.routes()::anyMaster,
                channel,
                text -> router.ready(() -> receiver.accept(text))));
    }

    @Override
    public boolean hears() {
        return subscriptions.stream().allMatch(Subscription::hears);
    }

    @Override
    public long idleNanos() {
        boolean isCalm = !router.isOwed()
                && router.routes().areOpen()
                && hears()
                && (refresh == null || refresh.failures() == 0);
        return Math.min(context.timeoutNanos / 8, isCalm ? CALM_IDLE_NANOS : BUSY_IDLE_NANOS);
    }

    @Override
    public void close() {
        router.close();
        context.dialer.close();
    }

    // ---- what is told about servers

    @Override
    public void misfit(String problem) {
        misfit = problem;
    }

    @Override
    public void foundOther(Endpoint server) {
        router.giveUp(server + " has not what was there before");
    }

    @Override
    public void lookAgain() {
        if (refresh != null) {
            refresh.lookAgain();
        }
    }

    @Override
    public void askAnother() {
        if (refresh != null) {
            refresh.askAnother();
        }
    }
}
