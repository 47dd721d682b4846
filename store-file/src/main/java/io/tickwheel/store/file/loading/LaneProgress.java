package io.tickwheel.store.file.loading;

import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import org.jspecify.annotations.Nullable;

/** How far a lane is loaded. Owned by {@link Loading}. */
final class LaneProgress {

    final StoreLane storeLane;

    /** Whether its attempts can start; null when the listener was not asked. */
    @Nullable
    Boolean mayStart;

    /** No timer that was passed by, and waits, is due before this; {@link Long#MAX_VALUE} when none was passed by. */
    long passedFromMs = Long.MAX_VALUE;

    /** The way through what was passed by; null while nobody goes it. */
    @Nullable
    LaneCursor cursor;

    /** The load in which the cursor was last asked. */
    long soughtAtLoad;

    /** The timer due at {@link #passedFromMs}, when it is known which one that is: where it stands. */
    @Nullable
    TimerTable head;

    int headOrdinal;

    LaneProgress(StoreLane storeLane) {
        this.storeLane = storeLane;
    }

    LaneCursor cursor() {
        LaneCursor made = cursor;
        assert made != null : "no cursor";
        return made;
    }
}
