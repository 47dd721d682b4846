package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A wheel of named nodes: schedule, advance and expect, in the order of time. */
final class Timeline {
    private static final int NO_LIMIT = 1_000_000;

    final HierarchicalWheel<Named> wheel;
    private final Map<String, Named> nodes = new HashMap<>();

    Timeline(long startTick) {
        wheel = new HierarchicalWheel<>(startTick);
    }

    Named node(String name) {
        return nodes.computeIfAbsent(name, Named::new);
    }

    Timeline schedule(String name, long deadlineTick) {
        wheel.schedule(node(name), deadlineTick);
        return this;
    }

    /** When this node expires, the handler does that. */
    Timeline atExpiry(String name, Consumer<Timeline> action) {
        node(name).action = action;
        return this;
    }

    boolean cancel(String name) {
        return wheel.cancel(node(name));
    }

    Timeline reschedule(String name, long deadlineTick) {
        wheel.reschedule(node(name), deadlineTick);
        return this;
    }

    /** Advances once, without a limit that matters, and expects exactly these nodes in this order. */
    Timeline advance(long nowTick, String... expected) {
        advance(nowTick, NO_LIMIT, expected);
        assertThat(wheel.hasDue(nowTick)).as("due after tick %s", nowTick).isFalse();
        assertThat(wheel.nextDeadlineTick())
                .as("next deadline after tick %s", nowTick)
                .isGreaterThan(nowTick);
        return this;
    }

    /** Advances once and expects exactly these nodes in this order. */
    Timeline advance(long nowTick, int limit, String... expected) {
        List<String> expired = new ArrayList<>();
        int count = wheel.advance(nowTick, limit, node -> {
            assertThat(node.isScheduled()).isFalse();
            assertThat(node.deadlineTick()).isLessThanOrEqualTo(nowTick);
            expired.add(node.name);
            assertThat(expired).hasSizeLessThanOrEqualTo(limit);
            node.action.accept(this);
        });
        assertThat(expired).as("expired at tick %s", nowTick).containsExactly(expected);
        assertThat(count).isEqualTo(expected.length);
        return this;
    }

    Timeline expectNext(long deadlineTick) {
        assertThat(wheel.nextDeadlineTick()).isEqualTo(deadlineTick);
        return this;
    }

    void expectNothingLeft() {
        assertThat(wheel.isEmpty()).isTrue();
        assertThat(wheel.size()).isZero();
        assertThat(wheel.nextDeadlineTick()).isEqualTo(Long.MAX_VALUE);
        assertThat(wheel.hasDue(Long.MAX_VALUE)).isFalse();
        assertThat(nodes.values()).noneMatch(WheelNode::isScheduled);
    }

    static final class Named extends WheelNode {
        final String name;
        private Consumer<Timeline> action = timeline -> {};

        private Named(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
