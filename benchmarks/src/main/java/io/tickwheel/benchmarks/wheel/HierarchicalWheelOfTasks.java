package io.tickwheel.benchmarks.wheel;

import io.tickwheel.wheel.ExpiryHandler;
import io.tickwheel.wheel.HierarchicalWheel;
import io.tickwheel.wheel.WheelNode;

/** Tickwheel's intrusive wheel with a new node, and a task in it, for every timer. */
final class HierarchicalWheelOfTasks implements DrivenWheel {

    private static final class TaskNode extends WheelNode {
        private final Runnable task;

        TaskNode(Runnable task) {
            this.task = task;
        }
    }

    private final HierarchicalWheel<TaskNode> wheel = new HierarchicalWheel<>(0);
    private final ExpiryHandler<TaskNode> handler = this::expire;
    private final TaskNode[] nodes;
    private final Runnable task;
    private long expired;

    HierarchicalWheelOfTasks(int slots, Runnable task) {
        this.task = task;
        nodes = new TaskNode[slots];
    }

    @Override
    public void schedule(int slot, long deadlineTick) {
        TaskNode node = new TaskNode(task);
        wheel.schedule(node, deadlineTick);
        nodes[slot] = node;
    }

    @Override
    public void cancel(int slot) {
        wheel.cancel(nodes[slot]);
    }

    @Override
    public int handleBytes() {
        return Integer.BYTES;
    }

    @Override
    public boolean advance(long nowTick, int limit) {
        wheel.advance(nowTick, limit, handler);
        return wheel.hasDue(nowTick);
    }

    @Override
    public long expired() {
        return expired;
    }

    private void expire(TaskNode node) {
        expired++;
        node.task.run();
    }
}
