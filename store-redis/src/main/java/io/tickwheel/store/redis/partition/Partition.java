package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import io.tickwheel.store.redis.loading.LoadTurns;
import io.tickwheel.store.redis.loading.Loading;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
public final class Partition implements LoadTurns.Loaded {

    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    private static final Script OWN = Script.named("own");
    private static final Script RELEASE = Script.named("release");

    /** A claim that was asked for too early is asked for again after so long at least, and at most. */
    private static final long SOON_NANOS = 500_000;

    private static final long LATE_NANOS = 1_000_000_000;

    /** No failover loses that a partition was owned for so long. */
    private static final int OLD_LEASES = 5;

    private static final long OWN_AGAIN_NANOS = 500_000_000;

    private enum Hold {
        /** Not owned by this node. */
        NONE,
        /** Owned by this node, as far as it knows. */
        OWNED,
        /** Owned, and about to be given back. */
        LEAVING
    }

    final int index;

    /** What of it is loaded. */
    final Loading loading;

    /** What this node has of it. */
    final LoadedTimers timers;

    private final NodeContext node;
    private final OwnerWork ownerWork;
    private final int hashSlot;
    private final List<byte[]> commandKeys;
    private final List<byte[]> ownKeys;
    private final byte[] indexText;

    private final ArrayDeque<TimerCommand> waiting = new ArrayDeque<>();
    /** Commands that wait for a moment of the monotonic clock before they wait to be sent. */
    private final Map<TimerCommand, Long> postponed = new LinkedHashMap<>();

    private final Pause pause;
    private boolean underWay;
    private List<TimerCommand> commandsUnderWay = List.of();
    private long plainConnection;
    private long durableConnection;

    private Hold hold = Hold.NONE;
    private String epoch = "";
    private long live;
    private long serverMs;
    private boolean wanted;
    private long ownNanos;
    private long ownedNanos;
    private long tendedNanos;
    private long tendedConnection;
    private boolean commandsAreNext;

    Partition(int index, NodeContext node) {
        this.index = index;
        this.node = node;
        this.loading = new Loading(node.lanes, node.budget, node.turn, index, node.leaseNanos);
        this.timers = new LoadedTimers(node, this, loading);
        Layout layout = node.layout;
        this.hashSlot = layout.slot(index);
        this.commandKeys = keys("m", "r", "i", "n", "f", "x", "e", "q");
        this.ownKeys = keys("m", "n");
        this.indexText = Text.bytes(index);
        this.ownerWork = new OwnerWork(this, node, keys("m", "n", "f", "i", "r", "q"));
        this.pause = new Pause(node);
        this.ownNanos = node.nowNanos();
    }

    private List<byte[]> keys(String... names) {
        List<byte[]> keys = new ArrayList<>(names.length);
        for (String name : names) {
            keys.add(node.layout.key(index, name));
        }
        return keys;
    }

    // ---- what others ask

    void add(TimerCommand command) {
        waiting.addLast(command);
    }

    /** Whether a command of a client waits that may have been carried out. */
    boolean hasRepeats() {
        return waiting.stream().anyMatch(TimerCommand::isRepeatForAClient);
    }

    /** Whether no command waits or is under way. */
    boolean isQuiet() {
        return waiting.isEmpty() && postponed.isEmpty() && !underWay;
    }

    /** Of the lease that this node has; empty without one. */
    String epoch() {
        return epoch;
    }

    /** Whether a command waits to be sent. */
    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    @Override
    public Loading loading() {
        return loading;
    }

    @Override
    public boolean isOwned() {
        return hold == Hold.OWNED;
    }

    /** Live timers, while it is owned. */
    long live() {
        return hold == Hold.NONE ? 0 : live;
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
        return hold == Hold.OWNED && !underWay && !pause.lasts(nowNanos);
    }

    /** How long it can be left alone. */
    long idleNanos(long nowNanos) {
        long idle = underWay ? Long.MAX_VALUE : pause.idleNanos(nowNanos);
        for (long atNanos : postponed.values()) {
            idle = Math.min(idle, Math.max(0, atNanos - nowNanos));
        }
        return idle;
    }

    /** Says that near inserts wait, or that it was given back. */
    void hint() {
        ownerWork.hint();
        ownNanos = node.nowNanos();
    }

    /** Whether this node is to own it. */
    void want(boolean nowWanted) {
        wanted = nowWanted;
        if (wanted) {
            ownNanos = node.nowNanos();
        } else if (hold == Hold.OWNED) {
            LOG.debug("partition {}: going to another node", index);
            hold = Hold.LEAVING;
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
        recall(nowNanos);
        if (underWay || pause.lasts(nowNanos)) {
            return;
        }
        if (hold == Hold.NONE) {
            if (wanted && nowNanos - ownNanos >= 0) {
                ownNanos = nowNanos + OWN_AGAIN_NANOS;
                send(new Own());
            }
            return;
        }
        Call tend = hold == Hold.OWNED && !(commandsAreNext && !waiting.isEmpty()) ? ownerWork.next(nowNanos) : null;
        if (tend != null) {
            commandsAreNext = true;
            send(tend);
        } else if (hold == Hold.LEAVING && waiting.isEmpty()) {
            send(new Release());
        }
    }

    private void send(Call call) {
        underWay = true;
        node.link.send(call);
    }

    /** Gives up what nobody waits for any more. */
    void expire(long nowNanos) {
        waiting.removeIf(command -> {
            boolean late = command.deadlineNanos != Long.MAX_VALUE && nowNanos - command.deadlineNanos >= 0;
            if (late) {
                command.failed(new StoreUnavailableException(
                        "Redis could not be reached, or not do enough, in time", command.maybeApplied));
            }
            return late;
        });
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
        if (waiting.isEmpty() || underWay || pause.lasts(nowNanos)) {
            return null;
        }
        Durability level = wantedLevel;
        List<TimerCommand> commands = new ArrayList<>();
        Set<String> slices = new LinkedHashSet<>();
        List<byte[]> encoded = new ArrayList<>();
        int bytes = 0;
        while (!waiting.isEmpty() && commands.size() < mostCommands && bytes < mostBytes) {
            TimerCommand next = waiting.getFirst();
            if (!next.isWanted()) {
                waiting.removeFirst();
                next.dropped();
                continue;
            }
            if (level != null && !next.level.equals(level)) {
                break;
            }
            level = next.level;
            waiting.removeFirst();
            commands.add(next);
            next.addSlices(slices);
            if (next.missingSlice != null) {
                slices.add(next.missingSlice);
            }
            byte[] code = next.encode();
            encoded.add(code);
            bytes += code.length + next.answerBytes();
        }
        if (commands.isEmpty() || level == null) {
            return null;
        }
        commandsAreNext = false;
        underWay = true;
        commandsUnderWay = commands;
        List<byte[]> keys = new ArrayList<>(commandKeys);
        slices.forEach(slice -> keys.add(node.layout.key(index, "z" + slice)));
        byte[] epochText = Text.bytes(hold == Hold.NONE ? "" : epoch);
        return new CommandBatch(this, level, commands, keys, slices.size(), epochText, encoded, bytes);
    }

    /** The commands of a call are answered. */
    void answered(CommandBatch batch, long nowMs, Values answers) {
        serverMs = nowMs;
        live = answers.integer();
        List<TimerCommand> again = new ArrayList<>();
        for (TimerCommand command : batch.commands()) {
            take(command, answers.bytes(), again);
        }
        takeBack(again);
    }

    private static void take(TimerCommand command, byte[] answer, List<TimerCommand> again) {
        if (answer[0] < 0) {
            // A record, which begins with its flags: what was asked for is granted.
            command.answered('G', ByteBuffer.wrap(answer));
            return;
        }
        char letter = (char) answer[0];
        switch (letter) {
            case 'M' -> {
                command.missingSlice = new String(answer, 1, answer.length - 1, StandardCharsets.US_ASCII);
                again.add(command);
            }
            case 'A' -> again.add(command);
            default -> command.answered(letter, ByteBuffer.wrap(answer, 1, answer.length - 1));
        }
    }

    /** The commands of a call have no answer. */
    void unanswered(CommandBatch batch, Reply reply) {
        List<TimerCommand> commands = batch.commands();
        switch (reply.outcome()) {
            case UNMET -> {
                // Who asked for more than there is hears so; to try again would hold up everybody else.
                commands.forEach(command -> command.maybeApplied = true);
                loading.reload();
                takeBack(withoutClients(commands, reply));
            }
            case UNKNOWN -> {
                commands.forEach(command -> command.maybeApplied = true);
                loading.reload();
                takeBack(commands);
            }
            case REFUSED -> takeBack(withoutClients(commands, reply));
            case UNAVAILABLE, FULL -> takeBack(commands);
            case DONE -> throw new IllegalArgumentException("it is answered");
        }
    }

    /** Fails the commands of clients, and returns the others. */
    private static List<TimerCommand> withoutClients(List<TimerCommand> commands, Reply reply) {
        List<TimerCommand> others = new ArrayList<>();
        for (TimerCommand command : commands) {
            if (command.isOfAClient()) {
                command.failed(new StoreUnavailableException(reply.reason(), command.maybeApplied));
            } else {
                others.add(command);
            }
        }
        return others;
    }

    /** Puts commands back to the head of those that wait, in their order. */
    void takeBack(List<TimerCommand> commands) {
        for (int i = commands.size() - 1; i >= 0; i--) {
            waiting.addFirst(commands.get(i));
        }
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
        pause.begin(SOON_NANOS);
    }

    /** Sends a claim again that its server said is not due yet, when it may be: its clock is behind that of the namespace. */
    void tryAgainWhenDue(ClaimCommand command, long dueAtMs) {
        long waitNanos = Math.min(LATE_NANOS, Math.max(0, dueAtMs - serverMs) * 1_000_000);
        if (waitNanos == LATE_NANOS) {
            node.doubtTime();
        }
        postponed.put(command, node.nowNanos() + Math.max(SOON_NANOS, waitNanos));
    }

    /** Has sent what was postponed and is due. */
    private void recall(long nowNanos) {
        if (postponed.isEmpty()) {
            return;
        }
        Iterator<Map.Entry<TimerCommand, Long>> each = postponed.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<TimerCommand, Long> next = each.next();
            if (nowNanos - next.getValue() >= 0 || !next.getKey().isWanted()) {
                waiting.addFirst(next.getKey());
                each.remove();
            }
        }
    }

    /**
     * The call under way is answered. What is to be more durable than in memory has a connection of its own, and each of the two may
     * lead to another server than before.
     */
    void landed(Call call, Reply reply) {
        underWay = false;
        commandsUnderWay = List.of();
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

        Own() {
            super(
                    hashSlot,
                    OWN,
                    ownKeys,
                    List.of(Text.bytes(node.name()), node.leaseText, node.scriptDeadline()),
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
            byte[] granted = (byte[]) answer.get(1);
            if (granted.length == 0) {
                return;
            }
            epoch = new String(granted, StandardCharsets.US_ASCII);
            hold = wanted ? Hold.OWNED : Hold.LEAVING;
            ownerWork.ownedAt(sentNanos);
            ownedNanos = node.nowNanos();
            tendedNanos = ownedNanos;
            loading.reload();
            LOG.debug("partition {}: owned with epoch {}", index, epoch);
        }
    }

    private final class Release extends Call {

        Release() {
            super(
                    hashSlot,
                    RELEASE,
                    ownKeys,
                    List.of(Text.bytes(epoch), Text.bytes(node.channelOfOwner(index)), indexText),
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
            lost("given back");
        }
    }

    /** The lease is renewed; so many timers are live. */
    void tended(long liveTimers, long connection) {
        pause.forget();
        tendedConnection = connection;
        tendedNanos = node.nowNanos();
        live = liveTimers;
    }

    /** The last call of a node that closes; null when there is nothing to give back. */
    @Nullable
    Call farewell() {
        return hold == Hold.NONE ? null : new Release();
    }

    /** This node does not own it any more. What is claimed goes on, by the token of its claim. */
    void lost(String why) {
        if (hold == Hold.NONE) {
            return;
        }
        LOG.debug("partition {}: not owned any more: {}", index, why);
        hold = Hold.NONE;
        epoch = "";
        ownNanos = node.nowNanos();
        timers.unloadAll();
        loading.reload();
    }

    /** There is no trace of it any more: no epoch of this node, nor of another. */
    void vanished(long connection) {
        // Over another connection the server may be one that a failover has promoted, without what was owned first just
        // before. The settings tell whether it is empty; but on a cluster they are of another master. How long the
        // failover took does not count.
        boolean isSameServer = connection == tendedConnection;
        boolean isOld = tendedNanos - ownedNanos > OLD_LEASES * node.leaseNanos;
        boolean wasThere = isSameServer || (node.link.isCluster() && isOld);
        lost("it is not there any more");
        if (wasThere) {
            node.vanished(index);
        } else {
            node.missing();
        }
    }

    /** Lets go of everything: the namespace is gone. What is under way may still be answered. */
    void leave(String reason) {
        lost("its namespace is gone");
        for (TimerCommand command : waiting) {
            if (command.isOfAClient()) {
                command.failed(new StoreGoneException(reason, command.maybeApplied));
            }
        }
        // The claims that others are about are gone too.
        waiting.clear();
        postponed.clear();
    }

    /** Fails every command that is not answered; no reply comes after that. */
    void failAll(StoreException reason) {
        underWay = false;
        commandsUnderWay.forEach(command -> command.failed(reason));
        commandsUnderWay = List.of();
        waiting.addAll(postponed.keySet());
        postponed.clear();
        waiting.forEach(command -> command.failed(reason));
        waiting.clear();
    }
}
