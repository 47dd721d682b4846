package io.tickwheel.store.file;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerStore;
import java.nio.file.Path;

/** Timers in a directory. Immutable and thread-safe. */
public final class FileStore implements TimerStore {

    private final Path directory;

    private FileStore(Path directory) {
        this.directory = directory;
    }

    /** A store in {@code directory}, which is made when it does not exist. */
    public static FileStore in(Path directory) {
        return new FileStore(directory);
    }

    @Override
    public Calendar open(StoreContext context, CalendarListener listener) {
        throw new IllegalStateException(directory.toString());
    }
}
