package io.tickwheel.benchmarks.wheel;

import io.tickwheel.wheel.ExpiryHandler;
import io.tickwheel.wheel.HashedWheel;
import io.tickwheel.wheel.HierarchicalWheel;
import io.tickwheel.wheel.WheelNode;

/** Tickwheel's intrusive wheels with a new node, and a task in it, for every timer. */
abstract class WheelOfTasks implements DrivenWheel {

    private static final int HASHED_SLOTS = 1 << 16;

    static final class TaskNode extends WheelNode {
        private final Runnable task;

        TaskNode(Runnable task) {
            this.task = task;
        }
    }

    private final TaskNode[] nodes;
    private final Runnable task;
    private long expired;

    private WheelOfTasks(int slots, Runnable task) {
        nodes = new TaskNode[slots];
        this.task = task;
    }

    static WheelOfTasks hierarchical(int slots, Runnable task) {
        return new WheelOfTasks(slots, task) {
            private final HierarchicalWheel<TaskNode> wheel = new HierarchicalWheel<>(0);
            private final ExpiryHandler<TaskNode> handler = this::expire;

            @Override
            void schedule(TaskNode node, long deadlineTick) {
                wheel.schedule(node, deadlineTick);
            }

            @Override
            void cancel(TaskNode node) {
                wheel.cancel(node);
            }

            @Override
            public boolean advance(long nowTick, int limit) {
                wheel.advance(nowTick, limit, handler);
                return wheel.hasDue(nowTick);
            }
        };
    }

    static WheelOfTasks hashed(int slots, Runnable task) {
        return new WheelOfTasks(slots, task) {
            private final HashedWheel<TaskNode> wheel =
                    HashedWheel.withSlots(HASHED_SLOTS).startingAt(0);
            private final ExpiryHandler<TaskNode> handler = this::expire;

            @Override
            void schedule(TaskNode node, long deadlineTick) {
                wheel.schedule(node, deadlineTick);
            }

            @Override
            void cancel(TaskNode node) {
                wheel.cancel(node);
            }

            @Override
            public boolean advance(long nowTick, int limit) {
                wheel.advance(nowTick, limit, handler);
                return wheel.hasDue(nowTick);
            }
        };
    }

    abstract void schedule(TaskNode node, long deadlineTick);

    abstract void cancel(TaskNode node);

    @Override
    public final void schedule(int slot, long deadlineTick) {
        TaskNode node = new TaskNode(task);
        schedule(node, deadlineTick);
        nodes[slot] = node;
    }

    @Override
    public final void cancel(int slot) {
        cancel(nodes[slot]);
    }

    @Override
    public final int handleBytes() {
        return Integer.BYTES;
    }

    @Override
    public final long expired() {
        return expired;
    }

    final void expire(TaskNode node) {
        expired++;
        node.task.run();
    }
}
