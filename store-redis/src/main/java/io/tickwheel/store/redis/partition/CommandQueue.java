package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Reply;
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

/** The commands on their way to one partition, from the moment they are wished to their answers, in their order. Used by the loop only. */
final class CommandQueue {

    /** A claim that was asked for too early is asked for again after so long at least, and at most. */
    private static final long SOON_NANOS = 500_000;

    private static final long LATE_NANOS = 1_000_000_000;

    /** What a server says of an error that ended a script. */
    private static final String IN_THE_SCRIPT = "@user_script";

    private final NodeContext node;
    private final int partition;
    private final List<byte[]> keys;
    private final ArrayDeque<TimerCommand> waiting = new ArrayDeque<>();

    /** Commands that wait for a moment of the monotonic clock before they wait to be sent. */
    private final Map<TimerCommand, Long> postponed = new LinkedHashMap<>();

    private List<TimerCommand> underWay = List.of();
    private long serverMs;

    CommandQueue(NodeContext node, int partition) {
        this.node = node;
        this.partition = partition;
        this.keys = node.layout.keys(partition, "m", "r", "i", "n", "f", "x", "e", "q");
    }

    void add(TimerCommand command) {
        waiting.addLast(command);
    }

    /** Whether a command of a client waits that may have been carried out. */
    boolean hasRepeats() {
        return waiting.stream().anyMatch(TimerCommand::isRepeatForAClient);
    }

    /** Whether a command waits to be sent. */
    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** Whether no command waits, neither to be sent nor for its time. */
    boolean isEmpty() {
        return waiting.isEmpty() && postponed.isEmpty();
    }

    /** How long it can be left alone. */
    long idleNanos(long nowNanos) {
        long idle = Long.MAX_VALUE;
        for (long atNanos : postponed.values()) {
            idle = Math.min(idle, Math.max(0, atNanos - nowNanos));
        }
        return idle;
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
     * Takes commands that wait, for a call.
     *
     * @param epoch of the lease; empty without one
     * @param wantedLevel of the commands; null for any
     * @param mostCommands at most so many
     * @param mostBytes about so much
     * @return null when there is none
     */
    @Nullable
    CommandBatch take(String epoch, @Nullable Durability wantedLevel, int mostCommands, int mostBytes) {
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
        underWay = commands;
        List<byte[]> allKeys = new ArrayList<>(keys);
        slices.forEach(slice -> allKeys.add(node.layout.key(partition, Layout.sliceKey(slice))));
        return new CommandBatch(partition, level, commands, allKeys, slices.size(), Text.bytes(epoch), encoded, bytes);
    }

    /** How long ago, by the server's clock, the call was carried out whose answers are taken. */
    long sinceServedMs() {
        return node.serverNowMs() - serverMs;
    }

    /** Takes the answers to a call. */
    void answered(CommandBatch batch, long nowMs, Values answers) {
        serverMs = nowMs;
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

    /** Takes that a call has no answers. */
    void unanswered(CommandBatch batch, Reply reply) {
        List<TimerCommand> commands = batch.commands();
        switch (reply.outcome()) {
            case UNMET -> {
                // Who asked for more than there is hears so; to try again would hold up everybody else.
                commands.forEach(command -> command.maybeApplied = true);
                takeBack(withoutClients(commands, reply));
            }
            case UNKNOWN -> {
                commands.forEach(command -> command.maybeApplied = true);
                takeBack(commands);
            }
            case REFUSED -> {
                if (reply.reason().contains(IN_THE_SCRIPT)) {
                    // What it wrote before that stands.
                    commands.forEach(command -> command.maybeApplied = true);
                }
                takeBack(withoutClients(commands, reply));
            }
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

    /** The call under way has its reply. */
    void landed() {
        underWay = List.of();
    }

    /** Sends a claim again that its server said is not due yet, when it may be: its clock is behind that of the namespace. */
    void tryAgainWhenDue(TimerCommand command, long dueAtMs) {
        long waitNanos = Math.min(LATE_NANOS, Math.max(0, dueAtMs - serverMs) * 1_000_000);
        if (waitNanos == LATE_NANOS) {
            node.doubtTime();
        }
        postponed.put(command, node.nowNanos() + Math.max(SOON_NANOS, waitNanos));
    }

    /** Has sent what was postponed and is due. */
    void recall(long nowNanos) {
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

    /** Lets go of everything: the namespace is gone. What is under way may still be answered. */
    void leave(String reason) {
        for (TimerCommand command : waiting) {
            if (command.isOfAClient()) {
                command.failed(new StoreGoneException(reason, command.maybeApplied));
            } else {
                command.forgotten();
            }
        }
        // The claims that others are about are gone too.
        waiting.clear();
        postponed.clear();
    }

    /** Fails every command that is not answered; no reply comes after that. */
    void failAll(StoreException reason) {
        underWay.forEach(command -> command.failed(reason));
        underWay = List.of();
        waiting.addAll(postponed.keySet());
        postponed.clear();
        waiting.forEach(command -> command.failed(reason));
        waiting.clear();
    }
}
