package io.tickwheel.server.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The outside book of a crash run. It lives in the process that does the killing, so it survives. Thread-safe. */
final class Ledger {

    private final Queue<LedgerRequest> requests = new ConcurrentLinkedQueue<>();
    private final Queue<LedgerArrival> arrivals = new ConcurrentLinkedQueue<>();
    private final Queue<LedgerLifetime> lifetimes = new ConcurrentLinkedQueue<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong lastDueAtMs = new AtomicLong();

    void record(LedgerRequest request) {
        if (request.wish() instanceof LedgerRequest.Put put) {
            lastDueAtMs.accumulateAndGet(request.end().wallMs() + put.delayMs(), Math::max);
        }
        requests.add(request);
        count.incrementAndGet();
    }

    void record(LedgerArrival arrival) {
        arrivals.add(arrival);
    }

    void record(LedgerLifetime lifetime) {
        lifetimes.add(lifetime);
    }

    /** Something came that cannot even be written down. */
    void recordFault(String what) {
        faults.add(what);
    }

    List<String> faults() {
        return List.copyOf(faults);
    }

    /** How many requests are over. */
    int requests() {
        return count.get();
    }

    /** When the last timer that was asked for is due at the latest. */
    long lastDueAtMs() {
        return lastDueAtMs.get();
    }

    /**
     * Judges what is known by now, as if the run was over and all waiting had been done.
     *
     * @param last the process that still runs
     */
    LedgerReport check(LedgerLifetime last) {
        List<LedgerLifetime> all = new ArrayList<>(lifetimes);
        all.add(last);
        return LedgerChecker.check(List.copyOf(requests), List.copyOf(arrivals), all, Long.MAX_VALUE);
    }

    String storyOf(String key) {
        return LedgerStory.of(key, List.copyOf(requests), List.copyOf(arrivals), List.copyOf(lifetimes));
    }
}
