package io.tickwheel.store.testkit;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;

/** A listener with room for any number of timers, of lanes that may all start; it does nothing with what it is told. */
public abstract class RoomyListener implements CalendarListener {

    private final LoadRoom room = new LoadRoom(Integer.MAX_VALUE, Long.MAX_VALUE, 0);

    @Override
    public boolean mayStart(Lane lane) {
        return true;
    }

    @Override
    public LoadRoom room() {
        return room;
    }

    @Override
    public void loaded(PendingTimer timer) {}

    @Override
    public void unloaded(PendingTimer timer) {}
}
