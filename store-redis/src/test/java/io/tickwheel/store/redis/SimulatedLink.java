package io.tickwheel.store.redis;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.SimulatedRedis.Refused;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Refusal;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A node's way to the masters of a simulation. Nothing moves by itself: the course says which call is carried out next, which reply
 * arrives next, and which connection breaks. Calls of one connection are carried out in their order; on a cluster, of one
 * connection and slot.
 */
final class SimulatedLink implements Link {

    private static final long CALM_IDLE_NANOS = 250_000_000;
    private static final long DEAF_IDLE_NANOS = 50_000_000;
    private static final long WAIT_NANOS = 1_000_000_000;

    final String node;
    private final RedisWorld world;
    private final long timeoutNanos;
    private final List<Connection> connections = new ArrayList<>();

    /** Carried out, and without a reply. */
    private final List<SimulatedCall> executed = new ArrayList<>();

    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private final Map<String, Consumer<String>> channels = new HashMap<>();
    private long numbers;
    private boolean closed;

    private final class Connection {

        final SimulatedMaster master;
        long number = ++numbers;

        /** It is not open before. */
        long closedNanos;

        final List<SimulatedCall> gathered = new ArrayList<>();
        final List<SimulatedCall> wire = new ArrayList<>();

        Connection(SimulatedMaster master) {
            this.master = master;
        }

        boolean isOpen() {
            return world.nowNanos() >= closedNanos && world.nowNanos() >= master.downNanos;
        }
    }

    SimulatedLink(RedisWorld world, String node, long timeoutNanos) {
        this.world = world;
        this.node = node;
        this.timeoutNanos = timeoutNanos;
        for (SimulatedMaster master : world.masters) {
            // One for calls that are done when they are answered, one for those that are to be durable.
            connections.add(new Connection(master));
            connections.add(new Connection(master));
        }
    }

    private Connection connection(SimulatedCall call) {
        return connections.get(2 * call.master.index + (call.isDurable ? 1 : 0));
    }

    // ---- the node's side

    @Override
    public void send(Call call) {
        SimulatedCall sent = new SimulatedCall(this, call, world.master(call.slot), world.nowNanos());
        Connection connection = connection(sent);
        if (!connection.isOpen()) {
            settle(sent, Reply.Outcome.UNAVAILABLE, "no connection yet", 0);
            return;
        }
        sent.connection = connection.number;
        connection.gathered.add(sent);
    }

    @Override
    public void flush() {
        for (Connection each : connections) {
            each.wire.addAll(each.gathered);
            each.gathered.clear();
        }
    }

    @Override
    public int deliver(int limit) {
        expire();
        int count = 0;
        while (count < limit && !ready.isEmpty()) {
            count++;
            ready.remove().run();
        }
        return count;
    }

    /** What has waited for too long may be carried out still. */
    private void expire() {
        long bornBefore = world.nowNanos() - timeoutNanos;
        for (Connection each : connections) {
            for (SimulatedCall call : each.wire) {
                if (call.bornNanos < bornBefore && !call.isSettled) {
                    settle(call, Reply.Outcome.UNKNOWN, "no reply in time", call.connection);
                }
            }
        }
        for (SimulatedCall call : List.copyOf(executed)) {
            if (call.bornNanos < bornBefore - (call.isDurable ? WAIT_NANOS : 0)) {
                executed.remove(call);
                settle(call, Reply.Outcome.UNKNOWN, "no reply in time", call.connection);
            }
        }
    }

    private void settle(SimulatedCall call, Reply.Outcome outcome, String reason, long connection) {
        if (call.isSettled) {
            return;
        }
        call.isSettled = true;
        Reply reply = new Reply(outcome, call.value, reason, connection);
        ready.add(() -> {
            if (!closed) {
                world.deliver(call, reply);
            }
        });
    }

    @Override
    public boolean isQuiet() {
        return ready.isEmpty()
                && executed.isEmpty()
                && connections.stream().allMatch(each -> each.gathered.isEmpty() && each.wire.isEmpty());
    }

    @Override
    public Reply await(Call call, Duration timeout) {
        SimulatedCall sent = new SimulatedCall(this, call, world.master(call.slot), world.nowNanos());
        Connection connection = connection(sent);
        if (!connection.isOpen() || world.losesAwaited()) {
            return new Reply(Reply.Outcome.UNAVAILABLE, null, "no connection", 0);
        }
        flush();
        List<SimulatedCall> all = new ArrayList<>(connection.wire);
        connection.wire.clear();
        all.add(sent);
        world.execute(all);
        executed.remove(sent);
        sent.isSettled = true;
        if (sent.value instanceof Refused refused) {
            return new Reply(refusal(refused), null, refused.text(), connection.number);
        }
        return new Reply(Reply.Outcome.DONE, sent.value, "", connection.number);
    }

    @Override
    public boolean isCluster() {
        return world.isCluster;
    }

    @Override
    public @Nullable String cannot(Durability level) {
        return null;
    }

    @Override
    public @Nullable String doubt(Durability level) {
        return null;
    }

    /** No server of a simulation comes back without its settings. */
    @Override
    public void greet(Greeting greeting) {}

    @Override
    public void subscribe(String channel, Consumer<String> receiver) {
        channels.put(channel, receiver);
    }

    @Override
    public long idleNanos() {
        return hears() ? CALM_IDLE_NANOS : DEAF_IDLE_NANOS;
    }

    @Override
    public boolean hears() {
        return !channels.isEmpty();
    }

    /** What is on its way may be carried out still. */
    @Override
    public void close() {
        closed = true;
        ready.clear();
        channels.clear();
        cutAll(true);
    }

    // ---- the servers' side

    /** A message is on its way to whoever listens. */
    void message(String channel, String text) {
        Consumer<String> receiver = channels.get(channel);
        if (receiver != null) {
            ready.add(() -> {
                if (!closed) {
                    receiver.accept(text);
                }
            });
        }
    }

    /** The calls that can be carried out next. */
    List<SimulatedCall> executable() {
        List<SimulatedCall> all = new ArrayList<>();
        for (Connection each : connections) {
            if (world.nowNanos() < each.master.downNanos) {
                continue;
            }
            Set<Integer> slots = new HashSet<>();
            for (SimulatedCall call : each.wire) {
                int lane = world.isCluster ? call.call.slot : 0;
                if (slots.add(lane)) {
                    all.add(call);
                }
            }
        }
        return all;
    }

    /** It is carried out now. */
    void taken(SimulatedCall call) {
        connection(call).wire.remove(call);
    }

    void executed(SimulatedCall call) {
        call.waitNanos = world.nowNanos() + WAIT_NANOS;
        if (!call.isSettled) {
            executed.add(call);
        }
    }

    /** The calls whose replies can arrive next. */
    List<SimulatedCall> arrivable() {
        return executed.stream()
                .filter(call -> !call.isDurable || isReplicated(call) || world.nowNanos() >= call.waitNanos)
                .toList();
    }

    private static boolean isReplicated(SimulatedCall call) {
        return call.master.replicated >= call.position;
    }

    void arrive(SimulatedCall call) {
        executed.remove(call);
        if (call.value instanceof Refused refused) {
            call.value = null;
            settle(call, refusal(refused), refused.text(), call.connection);
        } else if (!call.isDurable || isReplicated(call) || world.bug == RedisBug.UNMET_IS_DONE) {
            settle(call, Reply.Outcome.DONE, "", call.connection);
        } else {
            settle(call, Reply.Outcome.UNMET, "too few replicas have it", call.connection);
        }
    }

    private static Reply.Outcome refusal(Refused refused) {
        if (Refusal.of(refused.text()) == Refusal.FULL) {
            return Reply.Outcome.FULL;
        }
        throw new AssertionError("a server refuses: " + refused.text());
    }

    /** A server carries out nothing of a call now, and says so. */
    void refuse(SimulatedCall call) {
        connection(call).wire.remove(call);
        settle(call, Reply.Outcome.UNAVAILABLE, "BUSY", call.connection);
    }

    /** The reply of a call is not waited for any more. */
    void lose(SimulatedCall call) {
        executed.remove(call);
        settleLost(call, "no reply in time");
    }

    private void settleLost(SimulatedCall call, String why) {
        call.value = null;
        boolean isDenied = world.bug == RedisBug.LOST_REPLY_IS_NOT_APPLIED;
        settle(call, isDenied ? Reply.Outcome.UNAVAILABLE : Reply.Outcome.UNKNOWN, why, call.connection);
    }

    List<SimulatedCall> unanswered() {
        return List.copyOf(executed);
    }

    /** Breaks one connection. */
    void cut(int which, long closedNanos, boolean maybeLater) {
        Connection connection = connections.get(which);
        connection.closedNanos = closedNanos;
        cut(connection, maybeLater);
    }

    /** Breaks the connection that a call goes over. */
    void cutUnder(SimulatedCall call) {
        cut(connection(call), true);
    }

    int connections() {
        return connections.size();
    }

    private void cutAll(boolean maybeLater) {
        connections.forEach(each -> cut(each, maybeLater));
    }

    /** Its master has lost its place: no replica tells it any more that it has something. */
    void stray(SimulatedMaster master) {
        for (SimulatedCall call : executed) {
            if (call.master == master && !isReplicated(call)) {
                call.position = SimulatedMaster.NEVER;
            }
        }
    }

    /** Breaks the connections to a master. */
    void cut(SimulatedMaster master) {
        connections.stream().filter(each -> each.master == master).forEach(each -> cut(each, false));
    }

    /** @param maybeLater whether the server may carry out what it has got already */
    private void cut(Connection connection, boolean maybeLater) {
        connection.gathered.forEach(call -> settle(call, Reply.Outcome.UNAVAILABLE, "not sent", 0));
        connection.gathered.clear();
        connection.wire.forEach(call -> settleLost(call, "the connection was lost"));
        if (maybeLater) {
            world.late(connection.wire);
        }
        connection.wire.clear();
        for (SimulatedCall call : List.copyOf(executed)) {
            if (connection(call) == connection) {
                executed.remove(call);
                settleLost(call, "the connection was lost");
            }
        }
        connection.number = ++numbers;
    }
}
