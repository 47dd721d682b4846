package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.Durability;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes the commands of clients and of this node's claims, and gives each to the partition of its timer. Used by the loop only. */
public final class Commands {

    private final NodeContext node;
    private final Partitions partitions;
    private long operations;
    private boolean failed;

    /** @param firstOperation by which the first command is known: no other opening counts from there */
    public Commands(NodeContext node, Partitions partitions, long firstOperation) {
        this.node = node;
        this.partitions = partitions;
        this.operations = firstOperation;
    }

    // ---- of clients

    /**
     * Makes, replaces or keeps a timer.
     *
     * @param ended told when the answer was given
     */
    public void schedule(ScheduleCommand command, byte[] field, Answer<Scheduled> answer, Runnable ended) {
        Partition partition = partition(field);
        partition.add(new ClientCommand.Schedule(
                command,
                field,
                partition.timers,
                level(command.durability()),
                node.commandDeadline(),
                node.isFar(command.dueAtMs()),
                operations++,
                answer,
                ended));
    }

    /**
     * Cancels a timer.
     *
     * @param expectedId the id that it must have; null for any
     * @param ended told when the answer was given
     */
    public void cancel(
            TimerKey key,
            byte[] field,
            @Nullable String expectedId,
            @Nullable Durability level,
            Answer<Cancelled> answer,
            Runnable ended) {
        Partition partition = partition(field);
        partition.add(new ClientCommand.Cancel(
                key,
                field,
                expectedId,
                partition.timers,
                level(level),
                node.commandDeadline(),
                operations++,
                answer,
                ended));
    }

    /**
     * Reschedules, redrives or purges a timer.
     *
     * @param ended told when the answer was given
     */
    public void change(ChangeCommand command, byte[] field, Answer<Changed> answer, Runnable ended) {
        Partition partition = partition(field);
        partition.add(new TimerChange(
                command,
                field,
                partition.timers,
                level(command.durability()),
                node.commandDeadline(),
                node.isFar(command.dueAtMs()),
                operations++,
                answer,
                ended));
    }

    /**
     * Completes a timer whose attempt began elsewhere.
     *
     * @param ended told when the answer was given
     */
    public void complete(CompleteCommand command, byte[] field, Answer<Changed> answer, Runnable ended) {
        Partition partition = partition(field);
        partition.add(new TimerCompletion(
                command,
                field,
                partition.timers,
                level(command.durability()),
                node.commandDeadline(),
                operations++,
                answer,
                ended));
    }

    /**
     * Finds a timer.
     *
     * @param ended told when the answer was given
     */
    public void find(TimerKey key, byte[] field, Answer<List<TimerView>> answer, Runnable ended) {
        Partition partition = partition(field);
        partition.add(ClientCommand.Find.light(
                key, field, partition.timers, node.durability, node.commandDeadline(), answer, ended));
    }

    public void read(TimerKey key, byte[] field, Answer<List<StoredTimer>> answer, Runnable ended) {
        Partition partition = partition(field);
        partition.add(ClientCommand.Find.withContent(
                key, field, partition.timers, node.durability, node.commandDeadline(), answer, ended));
    }

    private Partition partition(byte[] field) {
        return partitions.get(node.layout.partition(field));
    }

    private Durability level(@Nullable Durability asked) {
        return asked == null ? node.durability : asked;
    }

    // ---- of this node's claims

    /** Lets go of a loaded timer, which waits as if it had not been loaded. */
    public void unload(PendingTimer pending) {
        RedisTimer timer = (RedisTimer) pending;
        Partition partition = partitions.get(timer.partition);
        partition.timers.passOver(timer);
    }

    public void claim(PendingTimer pending, Consumer<ClaimedTimer> granted) {
        RedisTimer timer = (RedisTimer) pending;
        Partition partition = partitions.get(timer.partition);
        partition.add(new ClaimCommand.Claim(partition.timers, timer, operations++, node.durability, granted));
    }

    /** Gives a claim back; returns whether the timer stays loaded. */
    public boolean release(PendingTimer pending) {
        RedisTimer timer = (RedisTimer) pending;
        Partition partition = partitions.get(timer.partition);
        return partition.timers.release(timer);
    }

    public void reroute(PendingTimer pending, long route) {
        RedisTimer timer = (RedisTimer) pending;
        Partition partition = partitions.get(timer.partition);
        if (partition.timers.end(timer) && !failed) {
            partition.add(ClaimCommand.GiveBack.reroute(
                    partition.timers, timer, route, node.durability, node.claimDeadline()));
        }
    }

    /**
     * Ends a claim with a further attempt; returns whether that will be made, as far as is known here.
     *
     * @param past the attempt that ends; null when it is not to be remembered
     */
    public boolean retry(PendingTimer pending, long attemptAtMs, @Nullable PastAttempt past) {
        return tryAgain(pending, (timer, timers) -> {
            long laterMs = later(attemptAtMs);
            return ClaimCommand.GiveBack.retry(
                    timers, timer, node.isFar(laterMs), laterMs, past, node.durability, node.claimDeadline());
        });
    }

    /** As {@link #retry}, and the attempt that ends does not count. */
    public boolean postpone(PendingTimer pending, long attemptAtMs) {
        return tryAgain(pending, (timer, timers) -> {
            long laterMs = later(attemptAtMs);
            return ClaimCommand.GiveBack.postpone(
                    timers, timer, node.isFar(laterMs), laterMs, node.durability, node.claimDeadline());
        });
    }

    /**
     * Ends a claim, has its timer come again, and makes another one.
     *
     * @param ended told when the answer was given
     */
    public void spawn(SpawnCommand command, Answer<Spawned> answer, Runnable ended) {
        RedisTimer plan = (RedisTimer) command.timer();
        Partition partition = partitions.get(plan.partition);
        // Also one that was replaced, as far as is known here, is asked for: the answer has what stands there.
        partition.timers.end(plan);
        partition.add(new TimerSpawn(
                command,
                plan,
                partition.timers,
                node.durability,
                node.commandDeadline(),
                node::isFar,
                operations++,
                answer,
                ended));
    }

    private boolean tryAgain(PendingTimer pending, BiFunction<RedisTimer, LoadedTimers, TimerCommand> command) {
        RedisTimer timer = (RedisTimer) pending;
        Partition partition = partitions.get(timer.partition);
        boolean counts = partition.timers.end(timer) && !failed;
        if (counts) {
            partition.add(command.apply(timer, partition.timers));
        }
        return counts && !timer.cancelled;
    }

    /** A pause without end ends in 35,000 years. */
    private static long later(long attemptAtMs) {
        return Math.min(attemptAtMs, Layout.FARTHEST_MS);
    }

    /**
     * Ends a claim for good; returns whether that counts, as far as is known here.
     *
     * @param past the attempt that ends; null when it is not to be remembered
     * @param counted told whether it counts when the server has said so
     */
    public boolean finish(
            PendingTimer pending, TimerState outcome, @Nullable PastAttempt past, Consumer<Boolean> counted) {
        if (!outcome.isFinished() || outcome == TimerState.CANCELLED) {
            throw new IllegalArgumentException("a claim does not end " + outcome);
        }
        RedisTimer timer = (RedisTimer) pending;
        Partition partition = partitions.get(timer.partition);
        boolean counts = partition.timers.end(timer) && !failed;
        if (counts) {
            partition.add(new ClaimCommand.Finish(
                    partition.timers, timer, outcome, past, node.durability, node.claimDeadline(), counted));
        } else {
            counted.accept(false);
        }
        return counts && (!timer.cancelled || outcome == TimerState.COMPLETED);
    }

    /** Whether a claim stands, as far as is known here. */
    public boolean holds(PendingTimer pending) {
        RedisTimer timer = (RedisTimer) pending;
        return timer.state == RedisTimer.State.CLAIMED && !timer.replaced && !failed;
    }

    /** The store has failed: the end of a claim counts for nothing from now on. */
    public void fail() {
        failed = true;
    }
}
