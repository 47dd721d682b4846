package io.tickwheel.benchmarks.wheel;

import io.tickwheel.wheel.LongExpiryHandler;
import io.tickwheel.wheel.LongWheel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Tickwheel's wheel of primitives, alone or with an array of tasks beside it. */
final class WheelOfHandles implements DrivenWheel {

    private final LongWheel wheel = new LongWheel(0);
    private final LongExpiryHandler handler = this::expire;
    private final long[] handles;
    private final @Nullable Runnable task;
    private @Nullable Runnable[] tasks = {};
    private long expired;

    private WheelOfHandles(int slots, @Nullable Runnable task) {
        handles = new long[slots];
        this.task = task;
    }

    static WheelOfHandles raw(int slots) {
        return new WheelOfHandles(slots, null);
    }

    static WheelOfHandles withTasks(int slots, Runnable task) {
        return new WheelOfHandles(slots, task);
    }

    @Override
    public void schedule(int slot, long deadlineTick) {
        long handle = wheel.schedule(deadlineTick);
        if (task != null) {
            int index = LongWheel.index(handle);
            if (index >= tasks.length) {
                tasks = Arrays.copyOf(tasks, Math.max(wheel.capacity(), tasks.length + tasks.length / 2));
            }
            tasks[index] = task;
        }
        handles[slot] = handle;
    }

    @Override
    public void cancel(int slot) {
        long handle = handles[slot];
        if (wheel.cancel(handle) && task != null) {
            tasks[LongWheel.index(handle)] = null;
        }
    }

    @Override
    public boolean advance(long nowTick, int limit) {
        wheel.advance(nowTick, limit, handler);
        return wheel.hasDue(nowTick);
    }

    @Override
    public int handleBytes() {
        return Long.BYTES;
    }

    @Override
    public long expired() {
        return expired;
    }

    private void expire(long handle, long deadlineTick) {
        expired++;
        if (task != null) {
            int index = LongWheel.index(handle);
            Runnable due = tasks[index];
            tasks[index] = null;
            if (due != null) {
                due.run();
            }
        }
    }
}
