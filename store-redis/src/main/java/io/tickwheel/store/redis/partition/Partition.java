package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import io.tickwheel.store.redis.loading.LoadTurns;
import io.tickwheel.store.redis.loading.Loading;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition, as this node sees it: the commands on their way to it, and whether this node owns it. What is loaded of it
 * is in {@link Loading} and {@link LoadedTimers}.
 *
 * <p><b>One call at a time.</b> At most one call to the partition is under way; commands that come meanwhile gather, until the
 * {@link CommandSender} takes them. So what this node knows of the partition is what it was when the last reply was made.
 *
 * <p><b>A reply that is lost</b>, and a server that is another one than before, make the owner load everything again: what is
 * there already is known by its field.
 *
 * <p>Used by the loop only.
 */
final class Partition implements LoadTurns.Loaded {

    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    private static final Script OWN = Script.named("own");
    private static final Script RELEASE = Script.named("release");

    private static final long BRIEF_NANOS = 500_000;

    private static final long OWN_AGAIN_NANOS = 500_000_000;

    final int index;

    /** What of it is loaded. */
    final Loading loading;

    /** What this node has of it. */
    final LoadedTimers timers;

    private final NodeContext node;
    private final CommandQueue commands;
    private final Lease lease;
    private final OwnerWork ownerWork;
    private final int hashSlot;
    private final List<byte[]> ownKeys;
    private final byte[] indexText;

    private final Pause pause;
    private boolean underWay;
    private long plainConnection;
    private long durableConnection;

    private boolean wanted;
    private long ownNanos;
    private boolean commandsAreNext;

    Partition(int index, NodeContext node) {
        this.index = index;
        this.node = node;
        this.loading = new Loading(node.lanes, node.budget, node.turn, index, node.leaseNanos);
        this.commands = new CommandQueue(node, index);
        this.lease = new Lease(index, this::forget);
        this.timers = new LoadedTimers(node, index, lease, commands, loading);
        this.hashSlot = node.layout.slot(index);
        this.ownKeys = node.layout.keys(index, "m", "n");
        this.indexText = Text.bytes(index);
        this.ownerWork = new OwnerWork(this, lease, node);
        this.pause = new Pause(node);
        this.ownNanos = node.nowNanos();
    }

    // ---- what others ask

    void add(TimerCommand command) {
        commands.add(command);
    }

    /** Whether a command of a client waits that may have been carried out. */
    boolean hasRepeats() {
        return commands.hasRepeats();
    }

    /** Whether no command waits or is under way. */
    boolean isQuiet() {
        return commands.isEmpty() && !underWay;
    }

    /** Whether a command waits to be sent. */
    boolean hasWaiting() {
        return commands.hasWaiting();
    }

    @Override
    public Loading loading() {
        return loading;
    }

    @Override
    public boolean isOwned() {
        return lease.isOwned();
    }

    /** Live timers, while it is owned. */
    long live() {
        return lease.live();
    }

    /** The key of the near inserts. */
    byte[] nearKey() {
        return ownKeys.get(1);
    }

    int slot() {
        return hashSlot;
    }

    @Override
    public boolean isFree(long nowNanos) {
        return lease.isOwned() && !underWay && !pause.lasts(nowNanos);
    }

    /** How long it can be left alone. */
    long idleNanos(long nowNanos) {
        long idle = underWay ? Long.MAX_VALUE : pause.idleNanos(nowNanos);
        return Math.min(idle, commands.idleNanos(nowNanos));
    }

    /** Takes that near inserts wait, or that it was given back. */
    void hint() {
        ownerWork.hint();
        ownNanos = node.nowNanos();
    }

    /** Takes whether this node is to own it. */
    void want(boolean nowWanted) {
        wanted = nowWanted;
        if (wanted) {
            ownNanos = node.nowNanos();
        } else if (lease.isOwned()) {
            lease.leave();
            timers.unloadAll();
            loading.reload();
        }
    }

    boolean isWanted() {
        return wanted;
    }

    // ---- the way to the server

    /** Sends the next call of its owner, if there is one to send, and none is under way. */
    void drive(long nowNanos) {
        commands.recall(nowNanos);
        if (underWay || pause.lasts(nowNanos)) {
            return;
        }
        if (!lease.isHeld()) {
            if (wanted && nowNanos - ownNanos >= 0) {
                ownNanos = nowNanos + OWN_AGAIN_NANOS;
                send(new Own());
            }
            return;
        }
        Call tend = lease.isOwned() && !(commandsAreNext && commands.hasWaiting()) ? ownerWork.next(nowNanos) : null;
        if (tend != null) {
            commandsAreNext = true;
            send(tend);
        } else if (lease.isLeaving() && !commands.hasWaiting()) {
            send(new Release());
        }
    }

    private void send(Call call) {
        underWay = true;
        node.link.send(call);
    }

    /** Gives up what nobody waits for any more. */
    void expire(long nowNanos) {
        commands.expire(nowNanos);
    }

    /**
     * Takes commands that wait, for a call, unless there is none or another call is under way.
     *
     * @param wantedLevel of the commands; null for any
     * @param mostCommands at most so many
     * @param mostBytes about so much
     */
    @Nullable
    CommandBatch takeCommands(long nowNanos, @Nullable Durability wantedLevel, int mostCommands, int mostBytes) {
        if (!commands.hasWaiting() || underWay || pause.lasts(nowNanos)) {
            return null;
        }
        CommandBatch batch = commands.take(lease.epoch(), wantedLevel, mostCommands, mostBytes);
        if (batch != null) {
            commandsAreNext = false;
            underWay = true;
        }
        return batch;
    }

    /** Takes the answers to the commands of a call. */
    void answered(CommandBatch batch, long nowMs, Values answers) {
        lease.count(answers.integer());
        commands.answered(batch, nowMs, answers);
    }

    /** Takes that the commands of a call have no answer. */
    void unanswered(CommandBatch batch, Reply reply) {
        if (reply.outcome() == Reply.Outcome.UNMET || reply.outcome() == Reply.Outcome.UNKNOWN) {
            loading.reload();
        }
        commands.unanswered(batch, reply);
    }

    /** Puts the commands of a call back that was not carried out. */
    void takeBack(CommandBatch batch) {
        commands.takeBack(batch.commands());
    }

    /** Says that the server refuses, once until it takes something again. */
    void complain(Reply reply) {
        if (!pause.isGrowing()) {
            LOG.error("partition {}: the server refuses: {}", index, reply.reason());
        }
    }

    /** Waits longer each time, with some jitter. */
    void pause() {
        pause.begin();
    }

    void pauseBriefly() {
        pause.begin(BRIEF_NANOS);
    }

    /**
     * The call under way is answered. What is to be more durable than in memory has a connection of its own, and each of the two may
     * lead to another server than before.
     */
    void landed(Call call, Reply reply) {
        underWay = false;
        commands.landed();
        if (reply.connection() == 0) {
            return;
        }
        if (call.level.equals(Durability.MEMORY)) {
            plainConnection = noted(plainConnection, reply.connection());
        } else {
            durableConnection = noted(durableConnection, reply.connection());
        }
    }

    private long noted(long before, long now) {
        if (before != 0 && before != now) {
            loading.reload();
        }
        return now;
    }

    // ---- ownership

    private final class Own extends Call {

        private final long sentNanos = node.nowNanos();
        private final int asOf = node.namespaceChanges();

        Own() {
            super(
                    hashSlot,
                    OWN,
                    ownKeys,
                    List.of(
                            Text.bytes(node.name()),
                            node.leaseText,
                            node.scriptDeadline(),
                            node.wasOwnedForLong(index) ? Text.ONE : Text.ZERO),
                    node.durability);
        }

        @Override
        public void answered(Reply reply) {
            landed(this, reply);
            if (reply.outcome() != Reply.Outcome.DONE || !(reply.value() instanceof List<?> answer)) {
                pause();
                return;
            }
            pause.forget();
            if (answer.size() == 1) {
                // Unless that was accepted since.
                if (asOf == node.namespaceChanges()) {
                    node.vanished(index);
                }
                return;
            }
            byte[] granted = (byte[]) answer.get(1);
            if (granted.length == 0) {
                return;
            }
            lease.begin(new String(granted, StandardCharsets.US_ASCII), wanted, node.nowNanos());
            ownerWork.ownedAt(sentNanos);
            loading.reload();
        }
    }

    private final class Release extends Call {

        Release() {
            super(
                    hashSlot,
                    RELEASE,
                    ownKeys,
                    List.of(Text.bytes(lease.epoch()), Text.bytes(node.channelOfOwner(index)), indexText),
                    Durability.MEMORY);
        }

        @Override
        public void answered(Reply reply) {
            landed(this, reply);
            if (reply.outcome() == Reply.Outcome.UNAVAILABLE) {
                pause();
                return;
            }
            // Else it is given back, or the lease runs out.
            lease.lose("given back");
        }
    }

    /** The lease is renewed; so many timers are live. */
    void tended(long liveTimers, long connection) {
        pause.forget();
        lease.renewed(connection, node.nowNanos());
        lease.count(liveTimers);
        if (lease.isOld(node.leaseNanos)) {
            node.ownedForLong(index);
        }
    }

    /** The last call of a node that closes; null when there is nothing to give back. */
    @Nullable
    Call farewell() {
        return !lease.isHeld() ? null : new Release();
    }

    /** This node does not own it any more. */
    private void forget() {
        ownNanos = node.nowNanos();
        timers.unloadAll();
        loading.reload();
    }

    /** There is no trace of it any more: no epoch of this node, nor of another. */
    void vanished(long connection) {
        boolean wasThere = lease.wasThere(connection, node.link.isCluster(), node.leaseNanos);
        lease.lose("it is not there any more");
        if (wasThere) {
            node.vanished(index);
        } else {
            node.missing();
        }
    }

    /** Lets go of everything: the namespace is gone. What is under way may still be answered. */
    void leave(String reason) {
        lease.lose("its namespace is gone");
        commands.leave(reason);
    }

    /** Fails every command that is not answered; no reply comes after that. */
    void failAll(StoreException reason) {
        underWay = false;
        commands.failAll(reason);
    }
}
