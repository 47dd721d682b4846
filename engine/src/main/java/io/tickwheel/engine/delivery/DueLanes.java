package io.tickwheel.engine.delivery;

import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.due.DueLane;
import io.tickwheel.engine.due.Health;
import io.tickwheel.engine.due.QueueCredits;
import io.tickwheel.engine.due.RememberedHealth;
import io.tickwheel.engine.due.StartGates;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.store.Lane;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that have timers that are due, or attempts, and the queues of these. Owned by the loop.
 */
final class DueLanes {

    private final Destinations destinations;
    private final Polls polls;
    private final StartGates gates;
    private final Map<Lane, DueLane> lanes = new HashMap<>();
    private final Map<String, QueueCredits> queues = new HashMap<>();
    private final RememberedHealth remembered = new RememberedHealth();

    DueLanes(Destinations destinations, Polls polls, StartGates gates) {
        this.destinations = destinations;
        this.polls = polls;
        this.gates = gates;
    }

    Collection<DueLane> all() {
        return lanes.values();
    }

    @Nullable
    DueLane find(Lane lane) {
        return lanes.get(lane);
    }

    /** The lane, which may be new. */
    DueLane get(Lane lane) {
        DueLane known = lanes.get(lane);
        if (known == null) {
            QueueCredits ofQueue = queues.computeIfAbsent(lane.queue(), this::credits);
            ofQueue.laneCame();
            Health was = remembered.remove(lane);
            known = new DueLane(lane, ofQueue, was == null ? first(lane) : was);
            lanes.put(lane, known);
        }
        return known;
    }

    private Health first(Lane lane) {
        return destinations.isHandled(lane) ? Health.ofHandler() : Health.unknown();
    }

    private QueueCredits credits(String queue) {
        QueueCredits made = new QueueCredits(queue);
        gates.assign(made);
        made.pull(polls.find(queue));
        return made;
    }

    /** Lets go of a lane that has nothing to do. */
    void drop(DueLane lane) {
        if (!lanes.remove(lane.lane, lane)) {
            return;
        }
        lane.credits.laneWent();
        if (lane.credits.lanes() == 0) {
            queues.remove(lane.credits.queue);
        }
        remembered.put(lane.lane, lane.health());
    }

    /** Takes note that the timers of a queue that name no destination go elsewhere, or nowhere; returns their lane, if they have one. */
    @Nullable
    DueLane destinationChanged(String queue) {
        QueueCredits known = queues.get(queue);
        if (known != null) {
            known.pull(polls.find(queue));
        }
        Lane ofQueue = new Lane(queue, Lane.QUEUE_ROUTE);
        remembered.remove(ofQueue);
        DueLane lane = lanes.get(ofQueue);
        if (lane != null) {
            lane.destinationChanged(first(ofQueue));
        }
        return lane;
    }

    /** Takes the settings of a queue, for the attempts that start from now on. */
    void settingsChanged(String queue) {
        QueueCredits known = queues.get(queue);
        if (known != null) {
            gates.assign(known);
        }
    }

    /** Asks whether each stands where it must, and belongs to its queue. */
    boolean areInOrder() {
        for (DueLane lane : lanes.values()) {
            assert lane.standsWhereItMust() : lane.lane;
        }
        for (QueueCredits known : queues.values()) {
            assert known.lanes() > 0 : "queue " + known.queue + " has no lanes";
        }
        long ofQueues = queues.values().stream().mapToLong(QueueCredits::lanes).sum();
        assert ofQueues == lanes.size() : ofQueues + " lanes are counted, of " + lanes.size();
        return true;
    }
}
