package io.tickwheel.wheel;

import java.util.function.Consumer;

/** Nodes in the order they came, as a circular list through the list itself. */
class NodeList extends WheelNode {
    NodeList() {
        next = this;
        prev = this;
    }

    final boolean isEmpty() {
        return next == this;
    }

    /** Adds a node, which is in no list, at the end. */
    final void append(WheelNode node) {
        assert !node.isScheduled();
        WheelNode tail = prev;
        node.prev = tail;
        node.next = this;
        tail.next = node;
        prev = node;
    }

    /** Shows every node to an action, which must not change the list. */
    final void forEach(Consumer<WheelNode> action) {
        for (WheelNode node = next; node != this; node = node.next) {
            action.accept(node);
        }
    }

    void clear() {
        for (WheelNode node = next; node != this; ) {
            WheelNode following = node.next;
            node.forgetLinks();
            node = following;
        }
        next = this;
        prev = this;
    }
}
