package io.tickwheel.store.file;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.testkit.RoomyListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A file store with everything on the thread of the test, which goes on until all is done. Its disk is slow, so that commands wait for what stands in runs. */
final class PlainStore {

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    /** The timers that are loaded and not claimed. */
    final List<PendingTimer> loaded = new ArrayList<>();

    final Calendar calendar;

    PlainStore(FileTimerStore store) {
        calendar = store.open(
                new StoreContext(
                        tasks::addLast, tasks::addLast, tasks::addLast, () -> {}, () -> 1L, clock(), nanos -> {}),
                new RoomyListener() {
                    @Override
                    public void loaded(PendingTimer timer) {
                        loaded.add(timer);
                    }

                    @Override
                    public void unloaded(PendingTimer timer) {
                        loaded.remove(timer);
                    }
                });
    }

    /** A clock on which time passes with each look at it. */
    static LongSupplier clock() {
        AtomicLong nanos = new AtomicLong();
        return () -> nanos.addAndGet(200_000);
    }

    /** Takes turns until there is nothing to do any more. */
    void settle() {
        int done;
        do {
            done = turn();
        } while (done > 0 || !tasks.isEmpty() || !calendar.isQuiet());
    }

    /** Everything that waits, and a turn of the loop; returns how much that did. */
    int turn() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        return calendar.work(100);
    }

    /** Has an answer added to a list. */
    static <T> Answer<T> into(List<T> answers) {
        return answer(answers::add);
    }

    /** Gives a good answer to a receiver, and throws a failure. */
    static <T> Answer<T> answer(Consumer<T> receiver) {
        return new Answer<>() {
            @Override
            public void accept(T result) {
                receiver.accept(result);
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        };
    }
}
