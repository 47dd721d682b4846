package io.tickwheel.store.file.calendar;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.file.timers.LoadedTimer;

/** Takes the places of loaded timers in the room that the listener has, and gives them back. Owned by the loop. */
record Places(CalendarListener listener) {

    void take(LoadedTimer timer) {
        listener.room().take(timer.storeLane.share, timer.age, each());
    }

    void giveBack(LoadedTimer timer) {
        listener.room().giveBack(timer.storeLane.share, timer.age, each());
    }

    private int each() {
        return listener.room().placesFor(LoadedTimer.BYTES);
    }
}
