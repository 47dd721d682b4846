package io.tickwheel.engine;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.Lane;

/** Has the parts of the loop take what changes of a queue: its handler, and its settings. Owned by the loop. */
final class QueueUpdates {

    private final Calendar calendar;
    private final Destinations destinations;
    private final QueueBook book;
    private final StartGates gates;
    private final DueIndex index;
    private final Deliveries deliveries;

    QueueUpdates(
            Calendar calendar,
            Destinations destinations,
            QueueBook book,
            StartGates gates,
            DueIndex index,
            Deliveries deliveries) {
        this.calendar = calendar;
        this.destinations = destinations;
        this.book = book;
        this.gates = gates;
        this.index = index;
        this.deliveries = deliveries;
    }

    void handlerAdded(String queue) {
        destinations.setHandler(queue);
        calendar.resume(ofQueue(queue));
    }

    void handlerRemoved(String queue) {
        destinations.removeHandler(queue);
        if (!destinations.has(ofQueue(queue))) {
            calendar.suspend(ofQueue(queue));
        }
    }

    void settingsChanged(String queue) {
        Lane lane = ofQueue(queue);
        boolean hadTarget = destinations.has(lane);
        takeSettings(queue);
        if (hadTarget && !destinations.has(lane)) {
            calendar.suspend(lane);
        } else if (!hadTarget && index.mayStart(lane)) {
            calendar.resume(lane);
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
