package io.tickwheel.store.redis.link;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the network's threads have for the loop: many of them put without a lock, the loop takes all at once. The loop is
 * woken by the first that is put into an empty one.
 */
final class Inbox {

    /** Something for the loop. It is in one inbox, once. */
    abstract static class Item {

        private @Nullable Item next;

        /** Called on the loop. */
        abstract void arrived();
    }

    private final AtomicReference<@Nullable Item> newest = new AtomicReference<>();
    private final Runnable waker;
    private volatile @Nullable Thread waiting;

    Inbox(Runnable waker) {
        this.waker = waker;
    }

    /** From any thread. */
    void put(Item item) {
        Item before;
        do {
            before = newest.get();
            item.next = before;
        } while (!newest.compareAndSet(before, item));
        if (before == null) {
            wake();
        }
    }

    /** From any thread. */
    void put(Runnable task) {
        put(new Item() {
            @Override
            void arrived() {
                task.run();
            }
        });
    }

    /** Makes the loop turn. From any thread. */
    void wake() {
        Thread thread = waiting;
        if (thread == null) {
            waker.run();
        } else {
            LockSupport.unpark(thread);
        }
    }

    /** Hands over all that is there, in the order in which it was put, and says whether there was something. */
    boolean drain() {
        Item item = newest.getAndSet(null);
        if (item == null) {
            return false;
        }
        Item oldest = null;
        while (item != null) {
            Item next = item.next;
            item.next = oldest;
            oldest = item;
            item = next;
        }
        while (oldest != null) {
            Item next = oldest.next;
            oldest.next = null;
            oldest.arrived();
            oldest = next;
        }
        return true;
    }

    /** Blocks the loop until something is there, at most so long, perhaps shorter. */
    void await(long nanos) {
        waiting = Thread.currentThread();
        try {
            if (newest.get() == null) {
                LockSupport.parkNanos(this, nanos);
            }
        } finally {
            waiting = null;
        }
    }

    boolean isEmpty() {
        return newest.get() == null;
    }
}
