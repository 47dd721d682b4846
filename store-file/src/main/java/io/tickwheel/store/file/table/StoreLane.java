package io.tickwheel.store.file.table;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;

/**
 * A {@link Lane} as the store knows it: its number, for where its name would be too long, and what it has of the room for
 * loaded timers. Owned by the loop.
 */
public final class StoreLane {

    public final Lane lane;
    public final QueueTable.Queue queue;
    public final int number;
    public final LoadRoom.Share share = new LoadRoom.Share();

    private boolean forgotten;

    StoreLane(Lane lane, QueueTable.Queue queue, int number) {
        this.lane = lane;
        this.queue = queue;
        this.number = number;
    }

    /** Whether its queue has no timers and is not known any more, and this object with it. */
    public boolean isForgotten() {
        return forgotten;
    }

    /** Takes note that its queue is not known any more. */
    void forget() {
        forgotten = true;
    }
}
