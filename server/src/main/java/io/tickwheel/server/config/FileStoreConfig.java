package io.tickwheel.server.config;

import io.tickwheel.store.Durability;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.file.StoreDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * Timers in a directory.
 *
 * @param directory where the files are; {@code tickwheel-data} unless told otherwise
 * @param segmentBytes how large a file of the commit log gets, about; 64 MiB unless told otherwise
 * @param checkpointBytes how much log gathers before it is trimmed; 128 MiB unless told otherwise
 * @param durability what an answer means: {@code SYNC} unless told otherwise
 * @param syncInterval with {@code INTERVAL}, how long an answer may go without a sync, 1 ms to 60 s; 100 ms unless told otherwise
 */
public record FileStoreConfig(
        Path directory, int segmentBytes, int checkpointBytes, Durability durability, Duration syncInterval)
        implements StoreConfig {

    public static final String DEFAULT_DIRECTORY = "tickwheel-data";

    public static FileStoreConfig in(Path directory) {
        return new FileStoreConfig(directory, 64 << 20, 128 << 20, Durability.SYNC, Duration.ofMillis(100));
    }

    @Override
    public TimerStore store() {
        FileTimerStore files =
                FileTimerStore.in(directory).withSegmentBytes(segmentBytes).withCheckpointBytes(checkpointBytes);
        return durability.equals(Durability.INTERVAL)
                ? files.withSyncInterval(syncInterval)
                : files.withDurability(durability);
    }

    @Override
    public String place() {
        return directory.toAbsolutePath().normalize().toString();
    }

    @Override
    public StoreFindings verify(StoreWatch watch) {
        return new FileFindings(
                StoreDirectory.at(directory).withProgress(watch::bytes).verify());
    }

    @Override
    public void export(BiConsumer<TimerView, byte[]> to) {
        StoreDirectory.at(directory).export(timer -> to.accept(timer.view(), timer.content()));
    }
}
