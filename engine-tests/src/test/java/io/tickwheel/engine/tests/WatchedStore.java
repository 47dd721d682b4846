package io.tickwheel.engine.tests;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.SharedLimits;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store that shows a test each call of its calendar before it is made; the test may take the call. */
final class WatchedStore implements TimerStore {

    /** Sees the calls of one name. */
    interface Before {

        /** Returns whether the call was taken: then it is not made. */
        boolean call(Calendar calendar, Object[] arguments);
    }

    private static final Object[] NO_ARGUMENTS = {};

    private final TimerStore store;
    private boolean isShared;
    private @Nullable SharedLimits limits;
    private String watched = "";
    private Before before = (calendar, arguments) -> false;
    private String held = "";
    private List<Runnable> later = List.of();

    WatchedStore(TimerStore store) {
        this.store = store;
    }

    /** The same, as if other nodes might write into it. */
    WatchedStore shared() {
        isShared = true;
        return this;
    }

    /** The same, with limits that other nodes share. */
    WatchedStore limited(SharedLimits shared) {
        limits = shared;
        return this;
    }

    /** Has somebody see the calls with a name, and nobody else any. */
    void before(String name, Before then) {
        watched = name;
        before = then;
    }

    /** Has calls with a name, which return nothing, wait for the test to make them; an empty name lets all pass. */
    void hold(String name, List<Runnable> calls) {
        held = name;
        later = calls;
    }

    /** Has what is read have a content that nobody can read, as of a version that knows more. */
    @SuppressWarnings("unchecked")
    void makeUnreadable() {
        before("read", (calendar, arguments) -> {
            Answer<List<StoredTimer>> asked = (Answer<List<StoredTimer>>) arguments[1];
            calendar.read((TimerKey) arguments[0], new Answer<>() {

                @Override
                public void accept(List<StoredTimer> found) {
                    asked.accept(found.stream()
                            .map(timer -> new StoredTimer(timer.view(), new byte[] {99}))
                            .toList());
                }

                @Override
                public void fail(StoreException reason) {
                    asked.fail(reason);
                }
            });
            return true;
        });
    }

    private static void make(Method method, Calendar calendar, Object[] arguments) {
        try {
            method.invoke(calendar, arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Calendar open(StoreContext context, CalendarListener listener) {
        Calendar calendar = store.open(context, listener);
        return (Calendar) Proxy.newProxyInstance(
                WatchedStore.class.getClassLoader(), new Class<?>[] {Calendar.class}, (proxy, method, arguments) -> {
                    if (isShared && method.getName().equals("isShared")) {
                        return true;
                    }
                    if (limits != null && method.getName().equals("limits")) {
                        return limits;
                    }
                    Object[] given = arguments == null ? NO_ARGUMENTS : arguments;
                    if (method.getName().equals(watched) && before.call(calendar, given)) {
                        return null;
                    }
                    if (method.getName().equals(held)) {
                        later.add(() -> make(method, calendar, arguments));
                        return null;
                    }
                    try {
                        return method.invoke(calendar, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
