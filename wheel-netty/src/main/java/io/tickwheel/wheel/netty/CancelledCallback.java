package io.tickwheel.wheel.netty;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Whether a task wants to know that it was cancelled. Nearly none does, and the thread of the timer need not be woken for
 * the others. Netty 4.1 has no such method to call.
 */
final class CancelledCallback extends ClassValue<Boolean> {
    private static final boolean EXISTS = of(TimerTask.class) != null;
    private static final CancelledCallback OVERRIDDEN = new CancelledCallback();

    private CancelledCallback() {}

    static boolean isOverriddenBy(TimerTask task) {
        try {
            return EXISTS && OVERRIDDEN.get(task.getClass());
        } catch (OutOfMemoryError full) {
            // It may be; the method that all inherit does nothing.
            return true;
        }
    }

    @Override
    protected Boolean computeValue(Class<?> type) {
        Method inherited = of(type);
        // One that reflection does not show may be there.
        return inherited == null || inherited.getDeclaringClass() != TimerTask.class;
    }

    private static @Nullable Method of(Class<?> type) {
        try {
            return type.getMethod("cancelled", Timeout.class);
        } catch (NoSuchMethodException | LinkageError notShown) {
            return null;
        }
    }
}
