package io.tickwheel.store.redis;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreUnavailableException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition, as this node sees it: the commands on their way to it, and whether this node owns it. What is loaded of it
 * is in {@link Loading} and {@link LoadedTimers}.
 *
 * <p><b>One call at a time.</b> At most one call to the partition is under way; commands that come meanwhile gather, and leave
 * together with the next one. So commands are carried out in their order, whatever is lost or redirected; what this node knows
 * of the partition is what it was when the last reply was made; and the more there is to do, the cheaper each command gets.
 *
 * <p><b>A reply that is lost</b>, and a server that is another one than before, make the owner load everything again: what is
 * there already is known by its field.
 *
 * <p>Used by the loop only.
 */
final class Partition {

    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    private static final Script COMMANDS = Script.named("commands");
    private static final Script OWN = Script.named("own");
    private static final Script RELEASE = Script.named("release");

    /** So many commands keep the server less than a millisecond. */
    private static final int COMMANDS_A_CALL = 64;

    private static final int BYTES_A_CALL = 1 << 20;

    private static final long SOON_NANOS = 500_000;
    private static final long SOON_MS = 20;
    private static final long SHORTEST_PAUSE_NANOS = 5_000_000;
    private static final long LONGEST_PAUSE_NANOS = 200_000_000;
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

    private final RedisCalendar calendar;
    private final OwnerWork ownerWork;
    private final int hashSlot;
    private final List<byte[]> commandKeys;
    private final List<byte[]> ownKeys;
    private final byte[] indexText;

    private final ArrayDeque<TimerCommand> waiting = new ArrayDeque<>();
    private boolean underWay;
    private long callNumber;
    private List<TimerCommand> commandsUnderWay = List.of();
    private long notBeforeNanos;
    private boolean mustPause;
    private long pauseNanos;
    private long plainConnection;
    private long durableConnection;

    private Hold hold = Hold.NONE;
    private String epoch = "";
    private long live;
    private long serverMs;
    private boolean wanted;
    private long ownNanos;
    private boolean commandsAreNext;

    Partition(int index, RedisCalendar calendar) {
        this.index = index;
        this.calendar = calendar;
        this.loading = new Loading(calendar, index);
        this.timers = new LoadedTimers(calendar, this, loading);
        Layout layout = calendar.layout;
        this.hashSlot = layout.slot(index);
        this.commandKeys = keys("m", "r", "i", "n", "f", "x", "e", "q", "a" + calendar.session);
        this.ownKeys = keys("m", "n");
        this.indexText = Text.bytes(index);
        this.ownerWork = new OwnerWork(this, calendar, keys("m", "n", "f", "i", "r", "q"));
        this.ownNanos = calendar.nowNanos();
    }

    private List<byte[]> keys(String... names) {
        List<byte[]> keys = new ArrayList<>(names.length);
        for (String name : names) {
            keys.add(calendar.layout.key(index, name));
        }
        return keys;
    }

    // ---- what others ask

    void add(TimerCommand command) {
        waiting.addLast(command);
    }

    /** Whether no command waits or is under way. */
    boolean isQuiet() {
        return waiting.isEmpty() && !underWay;
    }

    /** Of the lease that this node has; empty without one. */
    String epoch() {
        return epoch;
    }

    /** Whether a command waits to be sent. */
    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    boolean isOwned() {
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

    /** Whether nothing keeps its owner from a call to it now. */
    boolean isFree(long nowNanos) {
        return hold == Hold.OWNED && !underWay && !(mustPause && nowNanos - notBeforeNanos < 0);
    }

    /** How long it can be left alone. */
    long idleNanos(long nowNanos) {
        return mustPause && !underWay ? Math.max(0, notBeforeNanos - nowNanos) : Long.MAX_VALUE;
    }

    /** Says that near inserts wait, or that it was given back. */
    void hint() {
        ownerWork.hint();
        ownNanos = calendar.nowNanos();
    }

    /** Whether this node is to own it. */
    void want(boolean nowWanted) {
        wanted = nowWanted;
        if (wanted) {
            ownNanos = calendar.nowNanos();
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

    /** Sends the next call, if there is one to send, and none is under way. */
    void drive(long nowNanos) {
        if (underWay || (mustPause && nowNanos - notBeforeNanos < 0)) {
            return;
        }
        mustPause = false;
        expire(nowNanos);
        if (hold == Hold.NONE) {
            if (wanted && nowNanos - ownNanos >= 0) {
                ownNanos = nowNanos + OWN_AGAIN_NANOS;
                send(new Own());
                return;
            }
        } else {
            Call tend =
                    hold == Hold.OWNED && !(commandsAreNext && !waiting.isEmpty()) ? ownerWork.next(nowNanos) : null;
            if (tend != null) {
                commandsAreNext = true;
                send(tend);
                return;
            }
            if (hold == Hold.LEAVING && waiting.isEmpty()) {
                send(new Release());
                return;
            }
        }
        commandsAreNext = false;
        sendCommands();
    }

    private void send(Call call) {
        underWay = true;
        calendar.link.send(call);
    }

    /** Gives up what nobody waits for any more. */
    private void expire(long nowNanos) {
        if (pauseNanos == 0) {
            // Nothing was refused lately.
            return;
        }
        waiting.removeIf(command -> {
            boolean late = command.deadlineNanos != Long.MAX_VALUE && nowNanos - command.deadlineNanos >= 0;
            if (late) {
                command.failed(new StoreUnavailableException(
                        "Redis could not be reached, or not do enough, in time", command.maybeApplied));
            }
            return late;
        });
    }

    private void sendCommands() {
        List<TimerCommand> batch = new ArrayList<>();
        Set<String> slices = new LinkedHashSet<>();
        List<byte[]> encoded = new ArrayList<>();
        int bytes = 0;
        while (!waiting.isEmpty() && batch.size() < COMMANDS_A_CALL && bytes < BYTES_A_CALL) {
            TimerCommand next = waiting.getFirst();
            if (!next.isWanted()) {
                waiting.removeFirst();
                next.dropped();
                continue;
            }
            if (!batch.isEmpty() && !next.level.equals(batch.get(0).level)) {
                break;
            }
            waiting.removeFirst();
            batch.add(next);
            next.addSlices(slices);
            if (next.missingSlice != null) {
                slices.add(next.missingSlice);
            }
            byte[] code = next.encode();
            encoded.add(code);
            bytes += code.length + next.answerBytes();
        }
        if (!batch.isEmpty()) {
            commandsUnderWay = batch;
            send(batch(batch, slices, encoded));
        }
    }

    private Batch batch(List<TimerCommand> commands, Set<String> slices, List<byte[]> encoded) {
        List<byte[]> keys = new ArrayList<>(commandKeys.size() + slices.size());
        keys.addAll(commandKeys);
        List<byte[]> arguments = new ArrayList<>(10 + slices.size() + encoded.size());
        Durability level = commands.get(0).level;
        long firstDeadlineNanos = Long.MAX_VALUE;
        for (TimerCommand command : commands) {
            if (command.deadlineNanos != Long.MAX_VALUE) {
                firstDeadlineNanos = Math.min(firstDeadlineNanos, command.deadlineNanos - calendar.nowNanos());
            }
        }
        arguments.add(calendar.scriptDeadline(firstDeadlineNanos));
        arguments.add(Text.bytes(hold == Hold.NONE ? "" : epoch));
        arguments.add(level.equals(Durability.MEMORY) ? Text.ZERO : Text.ONE);
        arguments.add(calendar.rememberedText);
        arguments.add(calendar.leaseText);
        arguments.add(calendar.channelText);
        arguments.add(indexText);
        arguments.add(Text.bytes(slices.size()));
        arguments.add(Text.bytes(++callNumber));
        boolean repeats = commands.stream().anyMatch(command -> command.isOfAClient() && command.maybeApplied);
        arguments.add(repeats ? Text.ONE : Text.ZERO);
        for (String slice : slices) {
            keys.add(calendar.layout.key(index, "z" + slice));
            arguments.add(Text.bytes(slice));
        }
        arguments.addAll(encoded);
        return new Batch(commands, keys, arguments, level);
    }

    private final class Batch extends Call {

        private final List<TimerCommand> commands;

        Batch(List<TimerCommand> commands, List<byte[]> keys, List<byte[]> arguments, Durability level) {
            super(hashSlot, COMMANDS, keys, arguments, level);
            this.commands = commands;
        }

        @Override
        void answered(Reply reply) {
            commandsUnderWay = List.of();
            landed(this, reply);
            switch (reply.outcome()) {
                case DONE -> {
                    List<?> answers = (List<?>) Objects.requireNonNull(reply.value());
                    if (answers.size() == 1) {
                        // It came after its deadline, and did nothing.
                        calendar.doubtTime();
                        pause();
                        giveBack(commands);
                        return;
                    }
                    pauseNanos = 0;
                    serverMs = (Long) answers.get(0);
                    live = (Long) answers.get(1);
                    List<TimerCommand> again = new ArrayList<>();
                    for (int i = 0; i < commands.size(); i++) {
                        take(commands.get(i), (byte[]) answers.get(i + 2), again);
                    }
                    giveBack(again);
                }
                case UNMET -> {
                    // Who asked for more than there is hears so; to try again would hold up everybody else.
                    commands.forEach(command -> command.maybeApplied = true);
                    loading.reload();
                    pause();
                    giveBack(without(TimerCommand::isOfAClient, commands, reply, true));
                }
                case UNKNOWN -> {
                    commands.forEach(command -> command.maybeApplied = true);
                    loading.reload();
                    pause();
                    giveBack(commands);
                }
                case UNAVAILABLE -> {
                    pause();
                    giveBack(commands);
                }
                case FULL -> {
                    commands.stream()
                            .filter(TimerCommand::takesMemory)
                            .forEach(command ->
                                    command.failed(new StoreFullException("Redis is full: " + reply.reason())));
                    pause();
                    giveBack(commands.stream()
                            .filter(command -> !command.takesMemory())
                            .toList());
                }
                case REFUSED -> {
                    complain(reply);
                    pause();
                    giveBack(without(TimerCommand::isOfAClient, commands, reply, false));
                }
            }
        }

        /** Fails some commands, and returns the others. */
        private List<TimerCommand> without(
                Predicate<TimerCommand> failing, List<TimerCommand> all, Reply reply, boolean maybeApplied) {
            all.stream()
                    .filter(failing)
                    .forEach(command -> command.failed(
                            new StoreUnavailableException(reply.reason(), maybeApplied || command.maybeApplied)));
            return all.stream().filter(failing.negate()).toList();
        }

        private void take(TimerCommand command, byte[] answer, List<TimerCommand> again) {
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
    }

    /** Puts commands back to the head of those that wait, in their order. */
    private void giveBack(List<TimerCommand> commands) {
        for (int i = commands.size() - 1; i >= 0; i--) {
            waiting.addFirst(commands.get(i));
        }
    }

    /** Says that the server refuses, once until it takes something again. */
    void complain(Reply reply) {
        if (pauseNanos == 0) {
            LOG.error("partition {}: the server refuses: {}", index, reply.reason());
        }
    }

    /** Waits longer each time, with some jitter. */
    void pause() {
        pauseNanos = Math.min(LONGEST_PAUSE_NANOS, Math.max(SHORTEST_PAUSE_NANOS, pauseNanos * 2));
        mustPause = true;
        notBeforeNanos = calendar.nowNanos() + pauseNanos / 2 + calendar.jitter(pauseNanos / 2);
    }

    /**
     * Whether the server's clock, when it was last heard of, was about to reach that time. If not, that clock is not what it is
     * taken for.
     */
    boolean isSoon(long atMs) {
        boolean soon = atMs - serverMs <= SOON_MS;
        if (!soon) {
            calendar.doubtTime();
        }
        return soon;
    }

    /** Sends a command again in a moment. */
    void tryAgainSoon(TimerCommand command) {
        waiting.addFirst(command);
        pauseBriefly();
    }

    void pauseBriefly() {
        mustPause = true;
        notBeforeNanos = calendar.nowNanos() + SOON_NANOS;
    }

    /**
     * The call under way is answered. What is to be more durable than in memory has a connection of its own, and each of the two may
     * lead to another server than before.
     */
    void landed(Call call, Reply reply) {
        underWay = false;
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

        private final long sentNanos = calendar.nowNanos();

        Own() {
            super(
                    hashSlot,
                    OWN,
                    ownKeys,
                    List.of(Text.bytes(calendar.node()), calendar.leaseText, calendar.scriptDeadline()),
                    calendar.durability());
        }

        @Override
        void answered(Reply reply) {
            landed(this, reply);
            if (reply.outcome() != Reply.Outcome.DONE || !(reply.value() instanceof List<?> answer)) {
                pause();
                return;
            }
            pauseNanos = 0;
            byte[] granted = (byte[]) answer.get(1);
            if (granted.length == 0) {
                return;
            }
            epoch = new String(granted, StandardCharsets.US_ASCII);
            hold = wanted ? Hold.OWNED : Hold.LEAVING;
            ownerWork.ownedAt(sentNanos);
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
                    List.of(Text.bytes(epoch), Text.bytes(calendar.channelOfOwner(index)), indexText),
                    Durability.MEMORY);
        }

        @Override
        void answered(Reply reply) {
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
    void tended(long liveTimers) {
        pauseNanos = 0;
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
        ownNanos = calendar.nowNanos();
        timers.unloadAll();
        loading.reload();
    }

    /** Fails every command that is not answered; no reply comes after that. */
    void failAll(StoreException reason) {
        underWay = false;
        commandsUnderWay.forEach(command -> command.failed(reason));
        commandsUnderWay = List.of();
        waiting.forEach(command -> command.failed(reason));
        waiting.clear();
    }
}
