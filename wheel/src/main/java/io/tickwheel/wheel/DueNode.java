package io.tickwheel.wheel;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The place of a {@link ScheduledTask} in the wheel: at the deadline it hands the task to the workers. Where the task was
 * given as a {@link Runnable} it also stands for the {@link Callable} that a future wants. 40 bytes, for both.
 */
final class DueNode extends TimerNode implements Callable<@Nullable Void> {
    // Null also once the future has ended: who keeps the future shall not keep the user's task.
    private @Nullable Runnable command;

    DueNode(Stripe stripe, @Nullable Runnable command) {
        super(stripe);
        this.command = command;
    }

    @Override
    public @Nullable Void call() {
        Runnable current = command;
        if (current != null) {
            current.run();
        }
        return null;
    }

    @Override
    void runTask(Runnable claimed) {
        ((ScheduledTask<?>) claimed).handOver();
    }

    @Override
    void onRejected(Runnable rejected, Throwable cause) {
        ((ScheduledTask<?>) rejected).fail(cause);
    }

    /** Called when the future has ended: it does not refer to the user's task any more, nor does the wheel to it. */
    void release() {
        command = null;
        if (isPending()) {
            cancel();
        }
    }

    @Override
    public String toString() {
        return String.valueOf(command);
    }
}
