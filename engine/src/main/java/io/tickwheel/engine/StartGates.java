package io.tickwheel.engine;

import java.util.HashMap;
import java.util.Map;

/** The gates of the queues of which a pause, a rate or a concurrency is set. They stay when a queue has nothing to do, as a rate does. Owned by the loop. */
final class StartGates {

    private final Clock clock;
    private final QueueBook book;
    private final Map<String, StartGate> gates = new HashMap<>();

    StartGates(Clock clock, QueueBook book) {
        this.clock = clock;
        this.book = book;
    }

    /** Takes the settings of a queue. */
    void settingsChanged(String queue) {
        QueueSettings settings = book.settingsOf(queue);
        if (Boolean.TRUE.equals(settings.paused())
                || settings.concurrency() != null
                || settings.rate() != null
                || settings.slowStart() != null) {
            gates.computeIfAbsent(queue, unknown -> new StartGate()).set(settings, clock.wallMs(), clock.monoNanos());
        } else {
            gates.remove(queue);
        }
    }

    /** Gives a queue what applies to it. */
    void assign(QueueCredits queue) {
        queue.settings = book.settingsOf(queue.queue);
        queue.gate = gates.getOrDefault(queue.queue, StartGate.OPEN);
    }

    /** Begins a turn of the loop. */
    void begin() {
        gates.values().forEach(StartGate::begin);
    }

    /** In how many nanoseconds an attempt may start that was refused for its time in this turn. */
    long nanosToOpen() {
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
}
