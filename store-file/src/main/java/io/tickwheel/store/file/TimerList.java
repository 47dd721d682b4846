package io.tickwheel.store.file;

import org.jspecify.annotations.Nullable;

/** A doubly linked list of timers through links that they own, so that one leaves from the middle at O(1). */
final class TimerList {

    private @Nullable TimerLink head;
    private @Nullable TimerLink tail;
    private int size;

    int size() {
        return size;
    }

    @Nullable
    TimerLink first() {
        return head;
    }

    void addLast(TimerLink link) {
        assert link.list == null;
        link.list = this;
        link.previous = tail;
        if (tail == null) {
            head = link;
        } else {
            tail.next = link;
        }
        tail = link;
        size++;
    }

    void remove(TimerLink link) {
        assert link.list == this;
        TimerLink previous = link.previous;
        TimerLink next = link.next;
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
        link.list = null;
        link.previous = null;
        link.next = null;
        size--;
    }
}
