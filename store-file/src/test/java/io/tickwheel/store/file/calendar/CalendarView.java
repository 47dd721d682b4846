package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.file.checkpoint.Checkpoint;
import org.jspecify.annotations.Nullable;

/** What tests look at of an open calendar, and its callers cannot see. */
public final class CalendarView {

    private CalendarView() {}

    /** The checkpoint that is under way. */
    public static @Nullable Checkpoint checkpoint(Calendar calendar) {
        return of(calendar).checkpoints.checkpoint();
    }

    /** The identity of its store. */
    public static long storeId(Calendar calendar) {
        return of(calendar).store.storeId();
    }

    /** The epoch of its owner. */
    public static int epoch(Calendar calendar) {
        return of(calendar).store.owner().epoch();
    }

    /** Why it takes nothing any more; null while it does. */
    public static @Nullable StoreFailedException failure(Calendar calendar) {
        return of(calendar).failure;
    }

    /** Whether commands wait for the index. */
    public static boolean isIndexing(Calendar calendar) {
        return of(calendar).indexing.isUnderWay();
    }

    /** What fills the index; null when that is done. */
    public static @Nullable Object indexBuild(Calendar calendar) {
        return of(calendar).indexing.build();
    }

    private static FileCalendar of(Calendar calendar) {
        return (FileCalendar) calendar;
    }
}
