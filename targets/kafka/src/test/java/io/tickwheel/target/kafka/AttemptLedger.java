package io.tickwheel.target.kafka;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Another target, with a ledger of its attempts: when each began and how it ended. Times are the numbers of events, one after the other. */
final class AttemptLedger implements Target {

    private final Target target;
    private final CountDownLatch acknowledged;
    private final AtomicLong now = new AtomicLong();
    private final ConcurrentLinkedQueue<Ended> ended = new ConcurrentLinkedQueue<>();

    /** @param acknowledged is counted down with each attempt that is */
    AttemptLedger(Target target, CountDownLatch acknowledged) {
        this.target = target;
        this.acknowledged = acknowledged;
    }

    /**
     * An attempt that has ended.
     *
     * @param failure null when it was acknowledged
     */
    private record Ended(String key, long from, long to, String failure) {

        /** Asks whether one that failed was handed to the producer, so that the broker may have it all the same. */
        boolean mayHaveArrived() {
            return failure != null
                    && !failure.contains("has been away since")
                    && !failure.contains("no broker has told where it is");
        }
    }

    /** The time of something else that happens. */
    long mark() {
        return now.incrementAndGet();
    }

    /**
     * How often each timer may be in the topic: once for its acknowledgement, and once for each attempt that was on its way in an outage and was not confirmed. An outage goes from a kill until the first
     * acknowledgement after the broker was there again.
     *
     * @param outages from the kill until the broker was there
     */
    Map<String, Integer> mostTimes(List<long[]> outages) {
        List<long[]> longer = outages.stream()
                .map(outage -> new long[] {outage[0], firstAcknowledged(outage[1])})
                .toList();
        Map<String, Integer> most = new HashMap<>();
        for (Ended attempt : ended) {
            boolean isExcused = attempt.mayHaveArrived()
                    && longer.stream().anyMatch(outage -> attempt.from < outage[1] && attempt.to > outage[0]);
            most.merge(attempt.key, attempt.failure == null || isExcused ? 1 : 0, Integer::sum);
        }
        return most;
    }

    private long firstAcknowledged(long after) {
        return ended.stream()
                .filter(attempt -> attempt.failure == null && attempt.to > after)
                .mapToLong(Ended::to)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        target.deliver(attempt, new Noted(attempt.key(), mark(), delivery));
    }

    private final class Noted implements Delivery {

        private final String key;
        private final long from;
        private final Delivery delivery;

        Noted(String key, long from, Delivery delivery) {
            this.key = key;
            this.from = from;
            this.delivery = delivery;
        }

        private void note(String failure) {
            ended.add(new Ended(key, from, mark(), failure));
        }

        @Override
        public void acknowledge() {
            note(null);
            delivery.acknowledge();
            acknowledged.countDown();
        }

        @Override
        public void fail(String reason) {
            note(reason);
            delivery.fail(reason);
        }

        @Override
        public void fail(String reason, Duration wait) {
            note(reason);
            delivery.fail(reason, wait);
        }

        @Override
        public void postpone(String reason, Instant until) {
            note(reason);
            delivery.postpone(reason, until);
        }

        @Override
        public void reject(String reason) {
            note(reason);
            delivery.reject(reason);
        }
    }
}
