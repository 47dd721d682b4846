package io.tickwheel.engine.due;

import org.jspecify.annotations.Nullable;

/** A first-in first-out list of due timers, from which one can also leave from the middle at O(1). Owned by the loop. */
final class DueList {

    private @Nullable DueTimer head;
    private @Nullable DueTimer tail;
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return head == null;
    }

    void addLast(DueTimer timer) {
        assert timer.list == null;
        timer.list = this;
        timer.previous = tail;
        if (tail == null) {
            head = timer;
        } else {
            tail.next = timer;
        }
        tail = timer;
        size++;
    }

    @Nullable
    DueTimer first() {
        return head;
    }

    void remove(DueTimer timer) {
        assert timer.list == this;
        timer.list = null;
        size--;
        DueTimer previous = timer.previous;
        DueTimer next = timer.next;
        if (previous == null) {
            head = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            tail = previous;
        } else {
            next.previous = previous;
        }
        timer.previous = null;
        timer.next = null;
    }
}
