package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreLockedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real files of which nothing can be written, as those of a mount that is read-only, or of another user. */
class ReadOnlyMediaTest {

    @TempDir
    private Path temp;

    private Path data;

    @BeforeEach
    void schedule() {
        data = temp.resolve("data");
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(data))) {
            for (int i = 0; i < 5; i++) {
                timers.schedule("q", "k" + i, Duration.ofHours(1)).join();
            }
        }
    }

    private Path seen(Path directory, boolean isReadOnly) {
        return SeamDisk.wrap(directory, new Unwritable(directory.getFileSystem().provider(), isReadOnly));
    }

    private static List<String> keys(Path directory) {
        List<String> keys = new ArrayList<>();
        StoreDirectory.at(directory).export(timer -> keys.add(timer.view().key().key()));
        return keys;
    }

    @Test
    void backupIsExported() {
        Path backup = temp.resolve("backup");
        StoreDirectory.at(data).backUpTo(backup);
        assertThat(keys(seen(backup, true))).containsExactlyInAnyOrder("k0", "k1", "k2", "k3", "k4");
        assertThat(StoreDirectory.at(seen(backup, true)).verify().damages()).isEmpty();
        assertThat(backup.resolve("LOCK")).doesNotExist();
    }

    @Test
    void storeIsExported() {
        assertThat(keys(seen(data, true))).hasSize(5);
        assertThat(keys(seen(data, false))).hasSize(5);
    }

    /** It may be open by way of another mount, or of one who may write. */
    @Test
    void storeThatIsOpenIsNot() {
        Path unwritable = seen(data, true);
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(data))) {
            assertThatThrownBy(() -> keys(unwritable)).isInstanceOf(StoreLockedException.class);
            timers.schedule("q", "later", Duration.ofHours(1)).join();
        }
        assertThat(keys(unwritable)).hasSize(6);
    }

    /** Whoever may write may open it at any moment. */
    @Test
    void storeWithoutALockIsNotWhereOthersMayWrite() throws IOException {
        Files.delete(data.resolve("LOCK"));
        assertThatThrownBy(() -> keys(seen(data, false)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("LOCK");
        assertThat(data.resolve("LOCK")).doesNotExist();
    }

    /** Refuses whatever would write. */
    private static final class Unwritable extends SeamDisk.Provider {

        private final boolean isReadOnly;

        Unwritable(FileSystemProvider inner, boolean isReadOnly) {
            super(inner);
            this.isReadOnly = isReadOnly;
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            if (options.contains(StandardOpenOption.WRITE)) {
                throw new FileSystemException(path.toString(), null, "Read-only file system");
            }
            return super.newFileChannel(path, options, attributes);
        }

        @Override
        public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
            throw new FileSystemException(path.toString(), null, "Read-only file system");
        }

        @Override
        public FileStore getFileStore(Path path) throws IOException {
            return new Mount(super.getFileStore(path), isReadOnly);
        }
    }

    private static final class Mount extends FileStore {

        private final FileStore inner;
        private final boolean isReadOnly;

        Mount(FileStore inner, boolean isReadOnly) {
            this.inner = inner;
            this.isReadOnly = isReadOnly;
        }

        @Override
        public boolean isReadOnly() {
            return isReadOnly;
        }

        @Override
        public String name() {
            return inner.name();
        }

        @Override
        public String type() {
            return inner.type();
        }

        @Override
        public long getTotalSpace() throws IOException {
            return inner.getTotalSpace();
        }

        @Override
        public long getUsableSpace() throws IOException {
            return inner.getUsableSpace();
        }

        @Override
        public long getUnallocatedSpace() throws IOException {
            return inner.getUnallocatedSpace();
        }

        @Override
        public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
            return inner.supportsFileAttributeView(type);
        }

        @Override
        public boolean supportsFileAttributeView(String name) {
            return inner.supportsFileAttributeView(name);
        }

        @Override
        public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
            return inner.getFileStoreAttributeView(type);
        }

        @Override
        public Object getAttribute(String attribute) throws IOException {
            return inner.getAttribute(attribute);
        }
    }
}
