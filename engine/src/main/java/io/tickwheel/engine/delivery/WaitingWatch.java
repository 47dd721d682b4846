package io.tickwheel.engine.delivery;

import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.due.DueLane;
import io.tickwheel.engine.due.PullDemand;
import io.tickwheel.engine.limit.StartGate;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.WaitingLane;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out once a second which lanes have due timers that do not start and why, tells the listener, and writes a line into the log
 * for the queues of lanes of which none has started for ten seconds: once, until one starts again. Owned by the loop. O(lanes).
 */
public final class WaitingWatch {

    private static final Logger LOG = LoggerFactory.getLogger(WaitingWatch.class);

    private static final long LOOK_NANOS = 1_000_000_000L;
    private static final long LOG_AFTER_NANOS = 10 * LOOK_NANOS;

    /** Of a thousand queues that begin to wait at the same time, not each needs a line. */
    private static final int MOST_LINES = 20;

    private final Calendar calendar;
    private final Deliveries deliveries;
    private final Destinations destinations;
    private final EngineListener listener;
    private Map<Lane, Watched> watched = new HashMap<>();
    private long lookedAtNanos;
    private boolean told;

    /**
     * What is known of a lane that waits.
     *
     * @param starts how many attempts it had started when it was first seen so
     * @param sinceNanos when that was
     */
    private record Watched(long starts, long sinceNanos, boolean logged) {}

    private record Wait(WaitingQueue.Reason reason, long oldestMs) {}

    public WaitingWatch(
            Calendar calendar,
            Deliveries deliveries,
            Destinations destinations,
            EngineListener listener,
            long nowNanos) {
        this.calendar = calendar;
        this.deliveries = deliveries;
        this.destinations = destinations;
        this.listener = listener;
        this.lookedAtNanos = nowNanos;
    }

    /** Looks when it is time to. */
    public void work(long nowMs, long nowNanos) {
        if (nowNanos - lookedAtNanos >= LOOK_NANOS) {
            lookedAtNanos = nowNanos;
            deliveries.suspendStalled();
            Map<Lane, Wait> waits = waits();
            waits.values().removeIf(wait -> LoadRoom.Age.of(wait.oldestMs, nowMs) != LoadRoom.Age.BACKLOG);
            tell(waits);
            log(waits, nowMs, nowNanos);
        }
    }

    /**
     * In how many nanoseconds it must look again. Of timers without a target beside others that are due later, it learns when the loop turns for those.
     *
     * @param live how many timers there are
     */
    public long idleNanos(long live, long nowNanos) {
        boolean mayWait =
                told || !deliveries.lanes().isEmpty() || (live > 0 && calendar.firstToLoad() == Long.MAX_VALUE);
        return mayWait ? Math.max(0, lookedAtNanos + LOOK_NANOS - nowNanos) : Long.MAX_VALUE;
    }

    private Map<Lane, Wait> waits() {
        Map<Lane, Wait> waits = new HashMap<>();
        for (DueLane lane : deliveries.lanes()) {
            if (lane.hasFresh() || lane.hasBacklog()) {
                waits.put(lane.lane, new Wait(reason(lane), lane.oldestMs()));
            }
        }
        for (WaitingLane lane : calendar.waiting()) {
            WaitingQueue.Reason reason =
                    destinations.has(lane.lane()) ? WaitingQueue.Reason.ROOM : WaitingQueue.Reason.NO_TARGET;
            waits.merge(lane.lane(), new Wait(reason, lane.sinceMs()), WaitingWatch::merged);
        }
        return waits;
    }

    private static WaitingQueue.Reason reason(DueLane lane) {
        PullDemand pulled = lane.pulled();
        if (pulled != null && !pulled.wantsMore()) {
            return WaitingQueue.Reason.UNASKED;
        }
        StartGate gate = lane.credits.gate();
        if (gate.isPaused()) {
            return WaitingQueue.Reason.PAUSED;
        }
        if (lane.isHeldBack()) {
            return WaitingQueue.Reason.UNREACHABLE;
        }
        return gate.hasRefused() ? WaitingQueue.Reason.RATE : WaitingQueue.Reason.LIMIT;
    }

    /** What is loaded says why, and the older one since when. */
    private static Wait merged(Wait loaded, Wait stored) {
        return new Wait(loaded.reason, Math.min(loaded.oldestMs, stored.oldestMs));
    }

    private void tell(Map<Lane, Wait> waits) {
        if (waits.isEmpty() && !told) {
            return;
        }
        told = !waits.isEmpty();
        Map<String, Map<WaitingQueue.Reason, Long>> oldest = new HashMap<>();
        waits.forEach((lane, wait) -> oldest.computeIfAbsent(lane.queue(), queue -> new HashMap<>())
                .merge(wait.reason, wait.oldestMs, Math::min));
        List<WaitingQueue> queues = new ArrayList<>();
        oldest.forEach((queue, byReason) -> byReason.forEach(
                (reason, ms) -> queues.add(new WaitingQueue(queue, reason, Instant.ofEpochMilli(ms)))));
        listener.waiting(List.copyOf(queues));
    }

    private void log(Map<Lane, Wait> waits, long nowMs, long nowNanos) {
        Map<Lane, Watched> still = new HashMap<>();
        Map<String, Wait> queues = new LinkedHashMap<>();
        waits.forEach((lane, wait) -> {
            DueLane known = deliveries.find(lane);
            long starts = known == null ? 0 : known.starts();
            Watched before = watched.get(lane);
            Watched now = before != null && before.starts == starts ? before : new Watched(starts, nowNanos, false);
            if (!now.logged && nowNanos - now.sinceNanos >= LOG_AFTER_NANOS) {
                queues.merge(lane.queue(), wait, WaitingWatch::merged);
                now = new Watched(starts, now.sinceNanos, true);
            }
            still.put(lane, now);
        });
        watched = still;
        queues.entrySet().stream().limit(MOST_LINES).forEach(queue -> {
            Wait wait = queue.getValue();
            LOG.warn(
                    "queue {}: no attempt has started for 10 s, the oldest of its timers has waited for {} s: {}",
                    queue.getKey(),
                    (nowMs - wait.oldestMs) / 1_000,
                    text(wait.reason));
        });
        if (queues.size() > MOST_LINES) {
            LOG.warn("and so do {} queues more, which are not named here", queues.size() - MOST_LINES);
        }
    }

    private static String text(WaitingQueue.Reason reason) {
        return switch (reason) {
            case NO_TARGET ->
                "they have no destination, the queue has no handler and no target, and nobody leases them";
            case UNASKED -> "no consumer asks for more of them";
            case LIMIT -> "as many attempts run as may, and none of them ends";
            case UNREACHABLE -> "the last attempts have reached nobody, and one is made now and then until one does";
            case PAUSED -> "the queue is paused";
            case RATE -> "as many attempts have started as the rate of the queue allows";
            case ROOM -> "there is no room for them among the loaded timers";
        };
    }
}
