package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A wheel of any kind, as the tests drive it: the timers are numbered by the test, from 0. */
interface AnyWheel {
    static AnyWheel hashed(long startTick, int slots, Nodes nodes) {
        return new Hashed(HashedWheel.withSlots(slots).startingAt(startTick), nodes);
    }

    static AnyWheel hierarchical(long startTick, Nodes nodes) {
        return new Hierarchical(new HierarchicalWheel<>(startTick), nodes);
    }

    static AnyWheel primitive(LongWheel wheel) {
        return new Primitive(wheel);
    }

    void schedule(int timer, long deadlineTick);

    boolean cancel(int timer);

    /** Also schedules a timer that is not scheduled. */
    void reschedule(int timer, long deadlineTick);

    /** Returns whether a timer that is scheduled can be postponed. */
    default boolean canPostpone() {
        return false;
    }

    default void postpone(int timer, long deadlineTick) {
        throw new UnsupportedOperationException();
    }

    boolean isScheduled(int timer);

    /** Returns the deadline of a timer that is scheduled. */
    long deadlineTick(int timer);

    int advance(long nowTick, int limit, Expiry expiry);

    boolean hasDue(long nowTick);

    long nextDeadlineTick();

    int size();

    boolean isEmpty();

    long currentTick();

    void clear();

    /** Returns whether the next deadline is exact; it is a lower bound otherwise, and what is due is a guess. */
    boolean isExact();

    /** Takes what expires. */
    interface Expiry {
        void expired(int timer, long deadlineTick);
    }

    /** The nodes of numbered timers. */
    final class Nodes {
        private final List<Node> nodes = new ArrayList<>();

        Node get(int number) {
            while (nodes.size() <= number) {
                nodes.add(new Node(nodes.size()));
            }
            return nodes.get(number);
        }
    }

    final class Node extends WheelNode {
        final int number;

        private Node(int number) {
            this.number = number;
        }
    }

    final class Hashed implements AnyWheel {
        private final HashedWheel<Node> wheel;
        private final Nodes nodes;

        private Hashed(HashedWheel<Node> wheel, Nodes nodes) {
            this.wheel = wheel;
            this.nodes = nodes;
        }

        @Override
        public void schedule(int timer, long deadlineTick) {
            wheel.schedule(nodes.get(timer), deadlineTick);
        }

        @Override
        public boolean cancel(int timer) {
            return wheel.cancel(nodes.get(timer));
        }

        @Override
        public void reschedule(int timer, long deadlineTick) {
            wheel.reschedule(nodes.get(timer), deadlineTick);
        }

        @Override
        public boolean isScheduled(int timer) {
            return nodes.get(timer).isScheduled();
        }

        @Override
        public long deadlineTick(int timer) {
            return nodes.get(timer).deadlineTick();
        }

        @Override
        public int advance(long nowTick, int limit, Expiry expiry) {
            return wheel.advance(nowTick, limit, node -> expiry.expired(node.number, node.deadlineTick()));
        }

        @Override
        public boolean hasDue(long nowTick) {
            return wheel.hasDue(nowTick);
        }

        @Override
        public long nextDeadlineTick() {
            return wheel.nextDeadlineTick();
        }

        @Override
        public int size() {
            return wheel.size();
        }

        @Override
        public boolean isEmpty() {
            return wheel.isEmpty();
        }

        @Override
        public long currentTick() {
            return wheel.currentTick();
        }

        @Override
        public void clear() {
            wheel.clear();
        }

        @Override
        public boolean isExact() {
            return false;
        }
    }

    final class Hierarchical implements AnyWheel {
        private final HierarchicalWheel<Node> wheel;
        private final Nodes nodes;

        private Hierarchical(HierarchicalWheel<Node> wheel, Nodes nodes) {
            this.wheel = wheel;
            this.nodes = nodes;
        }

        @Override
        public void schedule(int timer, long deadlineTick) {
            wheel.schedule(nodes.get(timer), deadlineTick);
        }

        @Override
        public boolean cancel(int timer) {
            return wheel.cancel(nodes.get(timer));
        }

        @Override
        public void reschedule(int timer, long deadlineTick) {
            wheel.reschedule(nodes.get(timer), deadlineTick);
        }

        @Override
        public boolean canPostpone() {
            return true;
        }

        @Override
        public void postpone(int timer, long deadlineTick) {
            wheel.postpone(nodes.get(timer), deadlineTick);
        }

        @Override
        public boolean isScheduled(int timer) {
            return nodes.get(timer).isScheduled();
        }

        @Override
        public long deadlineTick(int timer) {
            return nodes.get(timer).deadlineTick();
        }

        @Override
        public int advance(long nowTick, int limit, Expiry expiry) {
            return wheel.advance(nowTick, limit, node -> expiry.expired(node.number, node.deadlineTick()));
        }

        @Override
        public boolean hasDue(long nowTick) {
            return wheel.hasDue(nowTick);
        }

        @Override
        public long nextDeadlineTick() {
            return wheel.nextDeadlineTick();
        }

        @Override
        public int size() {
            return wheel.size();
        }

        @Override
        public boolean isEmpty() {
            return wheel.isEmpty();
        }

        @Override
        public long currentTick() {
            return wheel.currentTick();
        }

        @Override
        public void clear() {
            wheel.clear();
        }

        @Override
        public boolean isExact() {
            return true;
        }
    }

    /** Keeps the number of a timer at the timer's index, as a user of the wheel does. */
    final class Primitive implements AnyWheel {
        private final LongWheel wheel;
        // By number; 0 for a timer that was never scheduled. The handle of a timer that ended stays, to try it.
        private long[] handles = {};
        // By index.
        private int[] numbers = {};

        private Primitive(LongWheel wheel) {
            this.wheel = wheel;
        }

        @Override
        public void schedule(int timer, long deadlineTick) {
            long old = handle(timer);
            long handle = wheel.schedule(deadlineTick);
            int index = LongWheel.index(handle);
            assertThat(handle).isPositive().isNotEqualTo(old);
            assertThat(index).isNotNegative().isLessThan(wheel.capacity());
            handles[timer] = handle;
            if (numbers.length < wheel.capacity()) {
                numbers = Arrays.copyOf(numbers, 2 * wheel.capacity());
            }
            numbers[index] = timer;
        }

        @Override
        public boolean cancel(int timer) {
            return wheel.cancel(handle(timer));
        }

        @Override
        public void reschedule(int timer, long deadlineTick) {
            if (!wheel.reschedule(handle(timer), deadlineTick)) {
                schedule(timer, deadlineTick);
            }
        }

        @Override
        public boolean isScheduled(int timer) {
            return wheel.isScheduled(handle(timer));
        }

        @Override
        public long deadlineTick(int timer) {
            return wheel.deadlineTick(handle(timer));
        }

        @Override
        public int advance(long nowTick, int limit, Expiry expiry) {
            return wheel.advance(nowTick, limit, (handle, deadlineTick) -> {
                int timer = numbers[LongWheel.index(handle)];
                assertThat(handle).isEqualTo(handles[timer]);
                expiry.expired(timer, deadlineTick);
            });
        }

        @Override
        public boolean hasDue(long nowTick) {
            return wheel.hasDue(nowTick);
        }

        @Override
        public long nextDeadlineTick() {
            return wheel.nextDeadlineTick();
        }

        @Override
        public int size() {
            return wheel.size();
        }

        @Override
        public boolean isEmpty() {
            return wheel.isEmpty();
        }

        @Override
        public long currentTick() {
            return wheel.currentTick();
        }

        @Override
        public void clear() {
            wheel.clear();
        }

        @Override
        public boolean isExact() {
            return true;
        }

        private long handle(int timer) {
            if (timer >= handles.length) {
                handles = Arrays.copyOf(handles, Math.max(16, 2 * timer));
            }
            return handles[timer];
        }
    }
}
