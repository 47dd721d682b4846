package io.tickwheel.engine.loop;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.delivery.Deliveries;
import io.tickwheel.engine.delivery.DueIndex;
import io.tickwheel.engine.due.StartGates;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.engine.queue.QueueBook;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Lane;
import java.util.Objects;

/** Has the parts of the loop take what changes of a queue: its handler, its settings, and whether consumers ask for its timers. Owned by the loop. */
final class QueueUpdates {

    private final Calendar calendar;
    private final Destinations destinations;
    private final QueueBook book;
    private final StartGates gates;
    private final DueIndex index;
    private final Deliveries deliveries;
    private final Polls polls;

    QueueUpdates(
            Calendar calendar,
            Destinations destinations,
            QueueBook book,
            StartGates gates,
            DueIndex index,
            Deliveries deliveries,
            Polls polls) {
        this.calendar = calendar;
        this.destinations = destinations;
        this.book = book;
        this.gates = gates;
        this.index = index;
        this.deliveries = deliveries;
        this.polls = polls;
    }

    void handlerAdded(String queue) {
        change(queue, () -> destinations.setHandler(queue));
    }

    void handlerRemoved(String queue) {
        change(queue, () -> destinations.removeHandler(queue));
    }

    void settingsChanged(String queue) {
        change(queue, () -> takeSettings(queue));
    }

    /** Takes note that consumers ask for timers of a queue, or do so no more. */
    void pollsChanged(String queue) {
        if (polls.isAsked(queue)) {
            change(queue, () -> destinations.setPulled(queue));
            deliveries.resume(ofQueue(queue));
        } else {
            change(queue, () -> destinations.removePulled(queue));
        }
    }

    private void change(String queue, Runnable taken) {
        Lane lane = ofQueue(queue);
        Destination before = destinations.ofQueue(queue);
        boolean couldStart = index.mayStart(lane);
        taken.run();
        Destination after = destinations.ofQueue(queue);
        if (Objects.equals(before, after)) {
            return;
        }
        deliveries.destinationChanged(queue);
        boolean mayStart = index.mayStart(lane);
        if (mayStart && !couldStart) {
            calendar.resume(lane);
        } else if (!mayStart) {
            // Also where it could not before: what was commanded before is decided then, and what it has taken away is
            // not let go of.
            calendar.suspend(lane);
            deliveries.unload(lane);
        }
        if (after != null && !destinations.isPulled(queue)) {
            polls.refuse(queue);
        }
    }

    /** Takes the settings of a queue before anything is loaded. */
    void takeSettings(String queue) {
        destinations.setOfSettings(queue, book.settingsOf(queue).target());
        gates.settingsChanged(queue);
        deliveries.settingsChanged(queue);
    }

    private static Lane ofQueue(String queue) {
        return new Lane(queue, Lane.QUEUE_ROUTE);
    }
}
