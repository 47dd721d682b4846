package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A wheel of named timers: schedule, advance and expect, in the order of time. */
final class Timeline {
    static final int NO_LIMIT = Integer.MAX_VALUE;

    final AnyWheel wheel;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    private final Map<String, Consumer<Timeline>> actions = new HashMap<>();

    Timeline(AnyWheel wheel) {
        this.wheel = wheel;
    }

    /** Returns the number of the timer in the wheel. */
    int timer(String name) {
        return numbers.computeIfAbsent(name, n -> {
            names.add(n);
            return names.size() - 1;
        });
    }

    Timeline schedule(String name, long deadlineTick) {
        wheel.schedule(timer(name), deadlineTick);
        return this;
    }

    /** When this timer expires, the handler does that. */
    Timeline atExpiry(String name, Consumer<Timeline> action) {
        actions.put(name, action);
        return this;
    }

    boolean cancel(String name) {
        return wheel.cancel(timer(name));
    }

    Timeline reschedule(String name, long deadlineTick) {
        wheel.reschedule(timer(name), deadlineTick);
        return this;
    }

    boolean isScheduled(String name) {
        return wheel.isScheduled(timer(name));
    }

    /** Advances once, without a limit that matters, and expects exactly these timers in this order. */
    Timeline advance(long nowTick, String... expected) {
        advance(nowTick, NO_LIMIT, expected);
        assertThat(wheel.currentTick()).isEqualTo(nowTick);
        assertThat(wheel.hasDue(nowTick)).as("due after tick %s", nowTick).isFalse();
        assertThat(wheel.nextDeadlineTick())
                .as("next deadline after tick %s", nowTick)
                .isGreaterThan(nowTick);
        return this;
    }

    /** Advances once and expects exactly these timers in this order. */
    Timeline advance(long nowTick, int limit, String... expected) {
        List<String> expired = new ArrayList<>();
        int count = advance(nowTick, limit, expired);
        assertThat(expired).as("expired at tick %s", nowTick).containsExactly(expected);
        assertThat(count).isEqualTo(expected.length);
        return this;
    }

    /** Advances with this limit until nothing is due and expects exactly these timers in this order. */
    Timeline advanceInSteps(long nowTick, int limit, List<String> expected) {
        List<String> expired = new ArrayList<>();
        while (wheel.hasDue(nowTick)) {
            advance(nowTick, limit, expired);
        }
        assertThat(expired).as("expired at tick %s", nowTick).isEqualTo(expected);
        return this;
    }

    private int advance(long nowTick, int limit, List<String> expired) {
        int[] handed = {0};
        return wheel.advance(nowTick, limit, (timer, deadlineTick) -> {
            String name = names.get(timer);
            assertThat(wheel.isScheduled(timer)).as("%s is scheduled", name).isFalse();
            assertThat(deadlineTick).isLessThanOrEqualTo(nowTick);
            assertThat(++handed[0]).isLessThanOrEqualTo(limit);
            expired.add(name);
            actions.getOrDefault(name, timeline -> {}).accept(this);
        });
    }

    /** Expects this to be the earliest deadline. A wheel that is not exact may say less, but not less than it knows. */
    Timeline expectNext(long deadlineTick) {
        if (wheel.isExact()) {
            assertThat(wheel.nextDeadlineTick()).isEqualTo(deadlineTick);
        } else {
            long current = wheel.currentTick();
            assertThat(wheel.nextDeadlineTick()).isBetween(current, Math.max(current, deadlineTick));
        }
        return this;
    }

    Timeline expectDue(long nowTick) {
        assertThat(wheel.hasDue(nowTick)).as("due at tick %s", nowTick).isTrue();
        return this;
    }

    Timeline expectNotDue(long nowTick) {
        if (wheel.isExact()) {
            assertThat(wheel.hasDue(nowTick)).as("due at tick %s", nowTick).isFalse();
        }
        return this;
    }

    Timeline expectSize(int size) {
        assertThat(wheel.size()).isEqualTo(size);
        assertThat(wheel.isEmpty()).isEqualTo(size == 0);
        return this;
    }

    Timeline expectCurrentTick(long tick) {
        assertThat(wheel.currentTick()).isEqualTo(tick);
        return this;
    }

    void expectNothingLeft() {
        expectSize(0);
        assertThat(wheel.nextDeadlineTick()).isEqualTo(Long.MAX_VALUE);
        assertThat(wheel.hasDue(Long.MAX_VALUE)).isFalse();
        assertThat(names).noneMatch(this::isScheduled);
    }
}
