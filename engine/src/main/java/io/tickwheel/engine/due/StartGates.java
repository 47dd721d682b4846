package io.tickwheel.engine.due;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.limit.BorrowedStarts;
import io.tickwheel.engine.limit.OwnStarts;
import io.tickwheel.engine.limit.StartGate;
import io.tickwheel.engine.queue.QueueBook;
import io.tickwheel.store.SharedLimits;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The gates of the queues of which a pause, a rate or a concurrency is set. They stay when a queue has nothing to do, as a rate does. Owned by the loop. */
public final class StartGates {

    private final Clock clock;
    private final QueueBook book;
    private final @Nullable SharedLimits limits;
    private final Map<String, StartGate> gates = new HashMap<>();

    /** @param limits those of all nodes together; null when there is only this one */
    public StartGates(Clock clock, QueueBook book, @Nullable SharedLimits limits) {
        this.clock = clock;
        this.book = book;
        this.limits = limits;
    }

    /** Takes the settings of a queue. */
    public void settingsChanged(String queue) {
        QueueSettings settings = book.settingsOf(queue);
        if (Boolean.TRUE.equals(settings.paused())
                || settings.concurrency() != null
                || settings.rate() != null
                || settings.slowStart() != null) {
            gates.computeIfAbsent(queue, this::gate).set(settings, clock.wallMs(), clock.monoNanos());
        } else {
            gates.remove(queue);
        }
    }

    private StartGate gate(String queue) {
        return new StartGate(limits == null ? new OwnStarts() : new BorrowedStarts(queue, limits, clock));
    }

    /** Gives a queue what applies to it. */
    public void assign(QueueCredits queue) {
        StartGate gate = gates.get(queue.queue);
        if (gate != null) {
            gate.serve(queue::running, queue::claiming);
        }
        queue.assign(book.settingsOf(queue.queue), gate == null ? StartGate.OPEN : gate);
    }

    /** Begins a turn of the loop. */
    public void begin() {
        gates.values().forEach(StartGate::begin);
    }

    /**
     * Ends a turn of the loop: borrows what was wanting, and gives back what is not needed.
     *
     * @param stopped whether no attempt starts any more
     */
    public void work(boolean stopped) {
        if (limits == null || gates.isEmpty()) {
            return;
        }
        long nowMs = clock.wallMs();
        long nowNanos = clock.monoNanos();
        for (StartGate gate : gates.values()) {
            gate.work(stopped, nowMs, nowNanos);
        }
    }

    /** In how many nanoseconds an attempt may start that was refused for its time in this turn. */
    public long nanosToOpen() {
        if (gates.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long nowMs = clock.wallMs();
        long nowNanos = clock.monoNanos();
        return gates.values().stream()
                .mapToLong(gate -> gate.nanosToOpen(nowMs, nowNanos))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** In how many nanoseconds there is something to do even if nothing waits. */
    public long idleNanos(long nowNanos) {
        long idle = Long.MAX_VALUE;
        if (limits != null) {
            for (StartGate gate : gates.values()) {
                idle = Math.min(idle, gate.idleNanos(nowNanos));
            }
        }
        return idle;
    }

    /** Whether nothing is borrowed any more that could be given back. */
    public boolean areSettled() {
        return limits == null || gates.values().stream().allMatch(StartGate::isSettled);
    }
}
