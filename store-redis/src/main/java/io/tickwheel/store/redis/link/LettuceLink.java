package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayDeque;
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
 * are to be durable. All state is the loop's; threads of the network only fill the inbox.
 *
 * <pre>
 *   send -> Passage -> Node of the slot -> SessionKeeper -> Session -> Attempt ... Inbox -> reply -> ready -> deliver
 *              ^                                                                    |
 *              +---------------------- Detour: MOVED, ASK, NOSCRIPT ----------------+
 * </pre>
 */
public final class LettuceLink implements Link {

    private static final long WAIT_MILLIS = 1_000;
    private static final int MOST_TURNS = 5;
    private static final long OPEN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long CALM_IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long BUSY_IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long CARE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    final Inbox inbox;
    final Dialer dialer;
    final long timeoutNanos;

    /** How long a {@code WAIT} waits for replicas. */
    final long waitMillis;

    private final ServerAddress address;
    private final LongSupplier monoNanos;
    private final SplittableRandom random;
    private final Routes routes;
    private final Detours detours;

    /** Null when there is nobody to ask. */
    private final @Nullable Scout scout;

    private final List<Subscription> subscriptions = new ArrayList<>();
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private @Nullable Passage awaited;
    private @Nullable Greeting greeting;
    private String misfit = "";
    private long owed;
    private long sequence;
    private long number;
    private long careNanos;

    private LettuceLink(
            ServerAddress address,
            Duration timeout,
            Duration waitLimit,
            LongSupplier monoNanos,
            LongSupplier randoms,
            Runnable waker) {
        this.address = address;
        this.monoNanos = monoNanos;
        timeoutNanos = timeout.toNanos();
        waitMillis = waitLimit.toMillis();
        careNanos = now();
        random = new SplittableRandom(randoms.getAsLong());
        inbox = new Inbox(waker);
        routes = new Routes(this);
        detours = new Detours(this);
        scout = scout();
        dialer = new Dialer(address, timeout, inbox);
        if (address.kind() == ServerAddress.Kind.SENTINEL) {
            // Only a hint, which saves the time until they are asked again.
            subscriptions.add(new Subscription(this, true, this::anySentinel, "+switch-master", text -> lookAgain()));
        }
    }

    private Endpoint anySentinel(@Nullable Endpoint current) {
        return current == null
                ? address.endpoints().get(random.nextInt(address.endpoints().size()))
                : current;
    }

    private @Nullable Scout scout() {
        return switch (address.kind()) {
            case SINGLE -> null;
            case SENTINEL ->
                new Scout(
                        this,
                        true,
                        () -> address.endpoints(),
                        found -> routes.setMaster(Topology.master(found, address.masterName())),
                        "SENTINEL",
                        "GET-MASTER-ADDR-BY-NAME",
                        address.masterName());
            case CLUSTER ->
                new Scout(
                        this,
                        false,
                        () -> routes.candidates(address.endpoints()),
                        found -> routes.setMasters(Topology.masters(found)),
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
     * As the other.
     *
     * @param waitLimit how long to wait for replicas, at least one millisecond
     */
    public static LettuceLink open(
            ServerAddress address,
            Duration timeout,
            Duration waitLimit,
            LongSupplier monoNanos,
            LongSupplier randoms,
            Runnable waker) {
        LettuceLink link = new LettuceLink(address, timeout, waitLimit, monoNanos, randoms, waker);
        try {
            link.connect();
            return link;
        } catch (StoreException e) {
            link.close();
            throw e;
        }
    }

    private void connect() {
        if (scout == null) {
            routes.setMaster(address.endpoints().get(0));
        }
        long end = now() + OPEN_LIMIT_NANOS;
        while (!routes.areOpen()) {
            turn();
            if (!misfit.isEmpty()) {
                throw new StoreException(misfit);
            }
            String trouble = routes.trouble();
            if (scout != null && scout.failures() >= address.endpoints().size()) {
                trouble = scout.trouble();
            }
            if (!trouble.isEmpty()) {
                throw new StoreUnavailableException(address + ": " + trouble, false);
            }
            if (now() - end > 0 || Thread.currentThread().isInterrupted()) {
                throw new StoreUnavailableException(address + ": " + routes.gap(), false);
            }
            inbox.await(PARK_NANOS);
        }
    }

    @Override
    public void send(Call call) {
        enter(new Passage(call, ++sequence, now()));
    }

    private void enter(Passage passage) {
        owed++;
        Detour detour = detours.of(passage);
        if (detour != null) {
            if (detour.isFull()) {
                settle(passage, unavailable("too many calls to its slot wait"));
            } else {
                detour.add(passage);
            }
            return;
        }
        Node node = routes.node(passage.call.slot);
        if (node == null) {
            settle(passage, unavailable("its slot has no master"));
            return;
        }
        SessionKeeper keeper = node.keeper(passage.isDurable());
        Session session = keeper.session();
        if (session == null) {
            settle(passage, unavailable(keeper.trouble().isEmpty() ? "no connection yet" : keeper.trouble()));
            return;
        }
        submit(passage, session);
    }

    /** Gives a call to a session, and says whether it took it. */
    boolean submit(Passage passage, Session session) {
        String cannot = session.cannot(passage);
        if (cannot != null) {
            settle(passage, new Reply(Reply.Outcome.REFUSED, null, cannot, session.number));
            return false;
        }
        if (session.isFull()) {
            settle(passage, unavailable("too many calls to " + session.endpoint + " have no reply"));
            return false;
        }
        session.gathered.add(passage);
        return true;
    }

    static Reply unavailable(String reason) {
        return new Reply(Reply.Outcome.UNAVAILABLE, null, reason, 0);
    }

    @Override
    public void flush() {
        routes.flush();
    }

    @Override
    public int deliver(int limit) {
        turn();
        int count = 0;
        while (count < limit && !ready.isEmpty()) {
            count++;
            ready.remove().run();
        }
        return count;
    }

    private void turn() {
        inbox.drain();
        long now = now();
        if (now - careNanos > timeoutNanos / 4) {
            // The loop has not turned, and perhaps nothing else: replies that are there already get the time to be
            // read.
            careNanos = now + CARE_NANOS;
        } else if (now - careNanos >= 0) {
            careNanos = now + CARE_NANOS;
            if (scout != null) {
                scout.care(now);
            }
            routes.care(now);
            detours.expire(now);
            subscriptions.forEach(each -> each.care(now));
        }
        if (detours.pump()) {
            routes.flush();
        }
    }

    @Override
    public boolean isQuiet() {
        return owed == 0 && ready.isEmpty() && inbox.isEmpty();
    }

    @Override
    public Reply await(Call call, Duration timeout) {
        Passage passage = new Passage(call, ++sequence, now());
        Passage before = awaited;
        awaited = passage;
        try {
            enter(passage);
            flush();
            long end = now() + timeout.toNanos();
            while (passage.reply == null) {
                turn();
                if (passage.reply == null
                        && (now() - end > 0 || Thread.currentThread().isInterrupted())) {
                    Reply.Outcome known = passage.sent ? Reply.Outcome.UNKNOWN : Reply.Outcome.UNAVAILABLE;
                    settle(passage, new Reply(known, null, "no reply in " + timeout, 0));
                }
                if (passage.reply == null) {
                    inbox.await(PARK_NANOS);
                }
            }
            return passage.reply;
        } finally {
            awaited = before;
        }
    }

    @Override
    public @Nullable String cannot(Durability level) {
        return routes.cannot(level);
    }

    @Override
    public @Nullable String doubt(Durability level) {
        return routes.doubt(level);
    }

    @Override
    public boolean isCluster() {
        return address.kind() == ServerAddress.Kind.CLUSTER;
    }

    @Override
    public void greet(Greeting asked) {
        greeting = asked;
    }

    @Nullable
    Greeting greeting() {
        return greeting;
    }

    @Override
    public void subscribe(String channel, Consumer<String> receiver) {
        subscriptions.add(new Subscription(
                this, false, routes::anyMaster, channel, text -> ready.add(() -> receiver.accept(text))));
    }

    @Override
    public boolean hears() {
        return subscriptions.stream().allMatch(Subscription::hears);
    }

    @Override
    public long idleNanos() {
        boolean isCalm = owed == 0 && routes.areOpen() && hears() && (scout == null || scout.failures() == 0);
        return Math.min(timeoutNanos / 8, isCalm ? CALM_IDLE_NANOS : BUSY_IDLE_NANOS);
    }

    @Override
    public void close() {
        ready.clear();
        dialer.close();
    }

    long now() {
        return monoNanos.getAsLong();
    }

    long nextNumber() {
        return ++number;
    }

    /** That of the last call that was sent. */
    long latestSequence() {
        return sequence;
    }

    Backoff newBackoff() {
        return new Backoff(random.split());
    }

    ServerAddress.Kind kind() {
        return address.kind();
    }

    Routes routes() {
        return routes;
    }

    Detours detours() {
        return detours;
    }

    /** A server is not as it must be. */
    void misfit(String problem) {
        misfit = problem;
    }

    /** The masters may have changed. */
    void lookAgain() {
        if (scout != null) {
            scout.lookAgain();
        }
    }

    /** The masters may have changed, and who is asked may not know. */
    void askAnother() {
        if (scout != null) {
            scout.askAnother();
        }
    }

    /** A call has its reply. Without effect when it had one. */
    void settle(Passage passage, Reply reply) {
        if (passage.reply != null) {
            return;
        }
        passage.reply = reply;
        owed--;
        if (passage != awaited) {
            ready.add(passage);
        }
    }

    /** A call was executed by the server. */
    void executed(Passage passage) {
        Detour detour = detours.of(passage);
        if (detour != null) {
            detour.executed(passage);
            detour.landed();
        }
    }

    /** A call that was given to a session is not there any more. */
    void landed(Passage passage) {
        Detour detour = detours.of(passage);
        if (detour != null) {
            detour.landed();
        }
    }

    /** A server has answered a call with an error. */
    void refused(Passage passage, Session session, String error) {
        landed(passage);
        switch (Refusal.of(error)) {
            case UNKNOWN_SCRIPT -> {
                passage.whole = true;
                again(passage, session, error);
            }
            case MOVED -> {
                routes.moved(Refusal.slot(error), Refusal.target(error, session.endpoint));
                lookAgain();
                passage.asked = null;
                again(passage, session, error);
            }
            case ASK -> {
                passage.asked = routes.node(Refusal.target(error, session.endpoint));
                again(passage, session, error);
            }
            case NOT_NOW -> session.settle(passage, Reply.Outcome.UNAVAILABLE, null, error);
            case NOT_HERE -> {
                askAnother();
                session.settle(passage, Reply.Outcome.UNAVAILABLE, null, error);
            }
            case FULL -> session.settle(passage, Reply.Outcome.FULL, null, error);
            case FOR_GOOD -> session.settle(passage, Reply.Outcome.REFUSED, null, error);
        }
    }

    private void again(Passage passage, Session session, String error) {
        passage.sent = false;
        if (passage.reply != null) {
            return;
        }
        if (++passage.turns > MOST_TURNS) {
            session.settle(
                    passage, Reply.Outcome.UNAVAILABLE, null, "sent " + passage.turns + " times, and then " + error);
            return;
        }
        detours.around(passage, session);
    }
}
