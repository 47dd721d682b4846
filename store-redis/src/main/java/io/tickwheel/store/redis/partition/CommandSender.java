package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Sends the commands of some partitions that one server has, in one call at a time: on a cluster those of one partition, elsewhere
 * those of many, because a call costs the server more than a command.
 *
 * <p>As a call begins only when the one before it is answered, and a partition has at most one call under way, commands are
 * carried out in their order, whatever is lost or redirected; and the more there is to do, the cheaper each command gets.
 *
 * <p>Used by the loop only.
 */
final class CommandSender {

    private static final Script COMMANDS = Script.named("commands");

    /** So many commands keep the server less than a millisecond, even if each is of another partition. */
    private static final int COMMANDS_A_CALL = 64;

    private static final int BYTES_A_CALL = 1 << 20;

    /** So many calls with commands are under way where one server has all: it is never idle while the replies of some are read. */
    private static final int SENDERS = 4;

    private final NodeContext node;
    private final List<Partition> partitions;
    private final byte[] answersKey;
    private final Pause pause;
    private boolean underWay;

    /** Whether a command of a client may have been carried out that has no answer yet. */
    private boolean repeats;

    private long callNumber;
    private int next;

    /** @param partitions whose commands it sends; all on one server, at any time */
    CommandSender(NodeContext node, List<Partition> partitions) {
        this.node = node;
        this.partitions = partitions;
        this.answersKey = node.layout.key(partitions.get(0).index, "a" + node.session);
        this.pause = new Pause(node);
    }

    /** As many as one server is busy with, or one for each slot of a cluster. */
    static List<CommandSender> of(NodeContext node, List<Partition> all) {
        int count = node.link.isCluster() ? all.size() : Math.min(all.size(), SENDERS);
        List<CommandSender> some = new ArrayList<>(count);
        for (int first = 0; first < count; first++) {
            List<Partition> part = new ArrayList<>();
            for (int i = first; i < all.size(); i += count) {
                part.add(all.get(i));
            }
            some.add(new CommandSender(node, List.copyOf(part)));
        }
        return List.copyOf(some);
    }

    /** Sends the next call, if there is one to send, and none is under way. */
    void drive(long nowNanos) {
        if (underWay || pause.lasts(nowNanos)) {
            return;
        }
        if (pause.isGrowing()) {
            partitions.forEach(partition -> partition.expire(nowNanos));
        }
        List<Partition> asked = new ArrayList<>();
        List<CommandBatch> batches = gather(nowNanos, asked);
        if (!batches.isEmpty()) {
            underWay = true;
            node.link.send(call(asked, batches));
        }
    }

    /** How long it can be left alone. */
    long idleNanos(long nowNanos) {
        return underWay ? Long.MAX_VALUE : pause.idleNanos(nowNanos);
    }

    /**
     * Takes what waits in one partition after another, and goes on behind them the next time.
     *
     * @param asked gets the partition of each batch
     */
    private List<CommandBatch> gather(long nowNanos, List<Partition> asked) {
        List<CommandBatch> batches = new ArrayList<>();
        Durability level = null;
        int commands = 0;
        int bytes = 0;
        int first = next;
        for (int i = 0; i < partitions.size() && commands < COMMANDS_A_CALL && bytes < BYTES_A_CALL; i++) {
            int at = (first + i) % partitions.size();
            Partition partition = partitions.get(at);
            CommandBatch batch =
                    partition.takeCommands(nowNanos, level, COMMANDS_A_CALL - commands, BYTES_A_CALL - bytes);
            if (batch != null) {
                asked.add(partition);
                batches.add(batch);
                level = batch.level();
                commands += batch.commands().size();
                bytes += batch.bytes();
                // One that has got less than others, as the call was full, is first the next time.
                boolean isCut = batch.commands().size() < COMMANDS_A_CALL && partition.hasWaiting();
                next = isCut ? at : at + 1;
            }
        }
        return batches;
    }

    private CommandCall call(List<Partition> asked, List<CommandBatch> batches) {
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> arguments = new ArrayList<>();
        Durability level = batches.get(0).level();
        callNumber++;
        long withinNanos = Long.MAX_VALUE;
        for (TimerCommand command : commands(batches).toList()) {
            if (command.deadlineNanos != Long.MAX_VALUE) {
                withinNanos = Math.min(withinNanos, command.deadlineNanos - node.nowNanos());
            }
        }
        boolean isNumbered = commands(batches).anyMatch(TimerCommand::mustNotComeLate);
        keys.add(answersKey);
        arguments.add(node.scriptDeadline(withinNanos));
        arguments.add(flag(!level.equals(Durability.MEMORY)));
        arguments.add(node.rememberedText);
        arguments.add(node.leaseText);
        arguments.add(node.channelText);
        arguments.add(Text.bytes(isNumbered ? Long.toString(callNumber) : ""));
        // What was answered is remembered as long as somebody may ask again: also over calls of others in between.
        repeats = repeats
                && (commands(batches).anyMatch(TimerCommand::isRepeatForAClient)
                        || partitions.stream().anyMatch(Partition::hasRepeats));
        arguments.add(flag(repeats));
        arguments.add(flag(commands(batches).anyMatch(TimerCommand::takesMemory)));
        batches.forEach(batch -> batch.addTo(keys, arguments));
        return new CommandCall(asked, batches, keys, arguments, level);
    }

    private static Stream<TimerCommand> commands(List<CommandBatch> batches) {
        return batches.stream().flatMap(batch -> batch.commands().stream());
    }

    private static byte[] flag(boolean is) {
        return is ? Text.ONE : Text.ZERO;
    }

    private final class CommandCall extends Call {

        private final List<Partition> asked;

        /** Of each partition that is asked. */
        private final List<CommandBatch> batches;

        CommandCall(
                List<Partition> asked,
                List<CommandBatch> batches,
                List<byte[]> keys,
                List<byte[]> arguments,
                Durability level) {
            super(asked.get(0).slot(), COMMANDS, keys, arguments, level);
            this.asked = asked;
            this.batches = batches;
        }

        @Override
        public void answered(Reply reply) {
            underWay = false;
            asked.forEach(partition -> partition.landed(this, reply));
            if (reply.outcome() == Reply.Outcome.DONE) {
                Values answers = new Values((List<?>) Objects.requireNonNull(reply.value()));
                long serverMs = answers.integer();
                if (!answers.hasNext()) {
                    // It came after its deadline, or after a later one, and did nothing.
                    node.doubtTime();
                    pause.begin();
                    for (int i = 0; i < batches.size(); i++) {
                        asked.get(i).takeBack(batches.get(i));
                    }
                    return;
                }
                pause.forget();
                for (int i = 0; i < batches.size(); i++) {
                    asked.get(i).answered(batches.get(i), serverMs, answers);
                }
                return;
            }
            if (reply.outcome() == Reply.Outcome.REFUSED && !pause.isGrowing()) {
                asked.get(0).complain(reply);
            }
            if (reply.outcome() == Reply.Outcome.UNKNOWN) {
                repeats = true;
                // These first.
                next = partitions.indexOf(asked.get(0));
            }
            pause.begin();
            for (int i = 0; i < batches.size(); i++) {
                asked.get(i).unanswered(batches.get(i), reply);
            }
        }
    }
}
