package io.tickwheel.server.cli;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerNames;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The store that an import schedules in. Where there is nothing yet, it is made when there is something for it: an import of which
 * nothing is taken leaves nothing. For one thread.
 */
final class ImportedStore implements AutoCloseable {

    /** How large a file of the log gets: as one is always kept ready, full of zeros, it is what the smallest import writes. */
    private static final long SEGMENT_BYTES = 8 << 20;

    private final Path directory;
    private final Clock clock;
    private @Nullable Tickwheel timers;

    /** @param clock by which nothing is due */
    ImportedStore(Path directory, Clock clock) {
        this.directory = directory;
        this.clock = clock;
        if (!isNew(directory)) {
            make();
        }
    }

    /** Whether there is nothing, or a directory with nothing in it. */
    private static boolean isNew(Path directory) {
        if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            return !files.iterator().hasNext();
        } catch (IOException | DirectoryIteratorException e) {
            // To open it says why.
            return false;
        }
    }

    Tickwheel make() {
        Tickwheel open = timers;
        if (open == null) {
            open = Tickwheel.builder(FileTimerStore.in(directory).withSegmentBytes(SEGMENT_BYTES))
                    .clock(clock)
                    .deliverAfter(new CompletableFuture<>())
                    .open();
            timers = open;
        }
        return open;
    }

    /**
     * The store, for the settings of a queue.
     *
     * @throws IllegalArgumentException when that is no name of a queue
     */
    Tickwheel makeFor(String queue) {
        TimerNames.check(queue, "settings");
        return make();
    }

    @Override
    public void close() {
        if (timers != null) {
            timers.close();
        }
    }
}
