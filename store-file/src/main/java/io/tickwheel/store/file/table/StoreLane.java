package io.tickwheel.store.file.table;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.file.loading.LaneCursor;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Lane} as the store knows it: its number, for where its name would be too long, and how far it is loaded. Owned by the
 * loop; what is about loading, by {@code Loading}.
 */
public final class StoreLane {

    public final Lane lane;
    public final QueueTable.Queue queue;
    public final int number;
    public final LoadRoom.Share share = new LoadRoom.Share();

    /** Whether its queue has no timers and is not known any more, and this object with it. */
    public boolean forgotten;

    /** Whether its attempts can start; null when the listener was not asked. */
    public @Nullable Boolean mayStart;

    /** No timer that was passed by, and waits, is due before this; {@link Long#MAX_VALUE} when none was passed by. */
    public long passedFromMs = Long.MAX_VALUE;

    /** The way through what was passed by; null while nobody goes it. */
    public @Nullable LaneCursor cursor;

    /** The load in which the cursor was last asked. */
    public long soughtAtLoad;

    /** The timer due at {@link #passedFromMs}, when it is known which one that is: where it stands. */
    public @Nullable Shelf head;

    public int headOrdinal;

    StoreLane(Lane lane, QueueTable.Queue queue, int number) {
        this.lane = lane;
        this.queue = queue;
        this.number = number;
    }

    public LaneCursor cursor() {
        LaneCursor made = cursor;
        assert made != null : "no cursor";
        return made;
    }
}
