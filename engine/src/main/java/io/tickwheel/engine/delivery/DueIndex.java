package io.tickwheel.engine.delivery;

import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.due.DueTimer;
import io.tickwheel.engine.due.DueWheel;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The index over what the calendar has loaded: each timer waits in the {@link DueWheel} until it is due, and then in its lane of the
 * {@link Deliveries}. It holds no truth: each timer in it is in the calendar, and leaves when the calendar says so. Owned by the loop.
 */
public final class DueIndex implements CalendarListener {

    private final DueWheel wheel;
    private final Destinations destinations;
    private final LoadRoom room;
    private long loaded;
    private @Nullable Deliveries deliveries;

    public DueIndex(DueWheel wheel, Destinations destinations, LoadRoom room) {
        this.wheel = wheel;
        this.destinations = destinations;
        this.room = room;
    }

    /** Learns where due timers wait. To be called once, before anything is loaded. */
    public void start(Deliveries expiresInto) {
        deliveries = expiresInto;
    }

    /** How many timers were loaded so far. */
    public long loadedSoFar() {
        return loaded;
    }

    @Override
    public boolean mayStart(Lane lane) {
        return destinations.has(lane) && !Objects.requireNonNull(deliveries).isSuspended(lane);
    }

    @Override
    public LoadRoom room() {
        return room;
    }

    @Override
    public void loaded(PendingTimer timer) {
        loaded++;
        DueTimer due = new DueTimer(timer);
        timer.attach(due);
        wheel.schedule(due);
    }

    @Override
    public void unloaded(PendingTimer timer) {
        DueTimer due = (DueTimer) Objects.requireNonNull(timer.attachment());
        timer.attach(null);
        if (!wheel.cancel(due)) {
            Objects.requireNonNull(deliveries).withdraw(due);
        }
    }
}
