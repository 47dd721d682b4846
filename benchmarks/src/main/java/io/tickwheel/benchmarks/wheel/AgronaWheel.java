package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Agrona's wheel of deadlines, alone or with a map from its ids to tasks, as its users keep one. It has 4,096 spokes for up
 * to 100,000 timers, which fits into a cache, and 65,536 for more, where few share a spoke. An id is used again as soon
 * as its timer is gone, so a slot whose timer expired may cancel another's: rare where timers are cancelled long before.
 */
final class AgronaWheel implements DrivenWheel {

    private static final int FEW = 100_000;
    private static final int SPOKES_FOR_FEW = 1 << 12;
    private static final int SPOKES_FOR_MANY = 1 << 16;
    private static final int FIRST_ALLOCATION = 16;

    private final DeadlineTimerWheel wheel;
    private final DeadlineTimerWheel.TimerHandler handler = this::expire;
    private final long[] ids;
    private final @Nullable Long2ObjectHashMap<Runnable> tasks;
    private final Runnable task;
    private long expired;

    private AgronaWheel(int slots, @Nullable Long2ObjectHashMap<Runnable> tasks, Runnable task) {
        int spokes = slots <= FEW ? SPOKES_FOR_FEW : SPOKES_FOR_MANY;
        wheel = new DeadlineTimerWheel(MILLISECONDS, 0, 1, spokes, FIRST_ALLOCATION);
        ids = new long[slots];
        this.tasks = tasks;
        this.task = task;
    }

    static AgronaWheel raw(int slots) {
        return new AgronaWheel(slots, null, () -> {});
    }

    static AgronaWheel withTasks(int slots, Runnable task) {
        return new AgronaWheel(slots, new Long2ObjectHashMap<>(), task);
    }

    @Override
    public void schedule(int slot, long deadlineTick) {
        long id = wheel.scheduleTimer(deadlineTick);
        if (tasks != null) {
            tasks.put(id, task);
        }
        ids[slot] = id;
    }

    @Override
    public void cancel(int slot) {
        long id = ids[slot];
        if (wheel.cancelTimer(id) && tasks != null) {
            tasks.remove(id);
        }
    }

    @Override
    public int handleBytes() {
        return Long.BYTES;
    }

    @Override
    public boolean advance(long nowTick, int limit) {
        long tickTime = wheel.currentTickTime();
        int polled = wheel.poll(nowTick, handler, limit);
        // A poll looks at one tick and then, unless the limit cut it short, steps to the next one that has begun.
        return polled == limit || wheel.currentTickTime() != tickTime;
    }

    @Override
    public long expired() {
        return expired;
    }

    private boolean expire(TimeUnit unit, long now, long id) {
        expired++;
        if (tasks != null) {
            Runnable due = tasks.remove(id);
            if (due != null) {
                due.run();
            }
        }
        return true;
    }
}
