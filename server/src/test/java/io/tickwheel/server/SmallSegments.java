package io.tickwheel.server;

import io.tickwheel.server.config.FileStoreConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;

/** Has stores of tests write their log in small files: one that is kept ready is full of zeros, 64 MiB of them for each opening otherwise. */
public final class SmallSegments {

    private static final int BYTES = 1 << 20;

    private SmallSegments() {}

    /** A store with them. */
    public static FileTimerStore store(Path directory) {
        return FileTimerStore.in(directory).withSegmentBytes(BYTES);
    }

    /** The settings with them, unless there are others. */
    static ServerConfig in(ServerConfig config) {
        return config.store() instanceof FileStoreConfig files && files.equals(FileStoreConfig.in(files.directory()))
                ? new ServerConfig(
                        config.host(),
                        config.port(),
                        new FileStoreConfig(
                                files.directory(),
                                BYTES,
                                files.checkpointBytes(),
                                files.durability(),
                                files.syncInterval()),
                        config.drainTimeout(),
                        config.limits(),
                        config.retry(),
                        config.queues(),
                        config.targetOptions(),
                        config.sourceOptions(),
                        config.edge(),
                        config.log(),
                        config.hasTraces())
                : config;
    }
}
