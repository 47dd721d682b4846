package io.tickwheel.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Timers in a directory: the settings {@code store.file.*}. */
final class FileStoreKind implements StoreKind {

    private static final String DIRECTORY = "store.file.directory";
    private static final String SEGMENT_BYTES = "store.file.segmentBytes";
    private static final String CHECKPOINT_BYTES = "store.file.checkpointBytes";
    private static final String DURABILITY = "store.file.durability";
    private static final String SYNC_INTERVAL = "store.file.syncInterval";
    private static final int MIN_LOG_BYTES = 4_096;
    private static final int MAX_SEGMENT_BYTES = 1 << 30;
    private static final String DEFAULT_DURABILITY = "sync";
    private static final FileStoreConfig DEFAULTS = FileStoreConfig.in(Path.of(FileStoreConfig.DEFAULT_DIRECTORY));

    @Override
    public String name() {
        return "file";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.of(DIRECTORY, "directory", DEFAULTS.directory()),
                Setting.of(SEGMENT_BYTES, Setting.BYTES, DEFAULTS.segmentBytes()),
                Setting.of(CHECKPOINT_BYTES, Setting.BYTES, DEFAULTS.checkpointBytes()),
                Setting.of(DURABILITY, "sync, interval or none", DEFAULT_DURABILITY),
                Setting.of(SYNC_INTERVAL, Setting.DURATION, DEFAULTS.syncInterval()));
    }

    @Override
    public StoreConfig read(Function<String, @Nullable String> values) {
        return new FileStoreConfig(
                Settings.directory(DIRECTORY, value(values, DIRECTORY, DEFAULTS.directory())),
                Settings.integer(
                        SEGMENT_BYTES,
                        value(values, SEGMENT_BYTES, DEFAULTS.segmentBytes()),
                        MIN_LOG_BYTES,
                        MAX_SEGMENT_BYTES),
                Settings.integer(
                        CHECKPOINT_BYTES,
                        value(values, CHECKPOINT_BYTES, DEFAULTS.checkpointBytes()),
                        MIN_LOG_BYTES,
                        Integer.MAX_VALUE),
                Settings.durability(DURABILITY, value(values, DURABILITY, DEFAULT_DURABILITY)),
                Settings.duration(
                        SYNC_INTERVAL,
                        value(values, SYNC_INTERVAL, DEFAULTS.syncInterval()),
                        Duration.ofMillis(1),
                        Duration.ofSeconds(60)));
    }

    private static String value(Function<String, @Nullable String> values, String name, Object absent) {
        String value = values.apply(name);
        return value == null ? absent.toString() : value;
    }
}
