package io.tickwheel.store.file.calendar;

import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.file.checkpoint.CheckpointPolicy;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.FaultText;
import io.tickwheel.store.file.disk.OwnerMark;
import io.tickwheel.store.file.log.CommitLog;
import io.tickwheel.store.file.log.OpenStore;
import io.tickwheel.store.file.recovery.IndexBuild;
import io.tickwheel.store.file.timers.TimerTables;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Ends a calendar: syncs its log, has what is known saved, and lets go of the directory; of one that has failed it only closes the
 * files.
 */
record Closing(OpenStore store, TimerTables tables, CommitLog log, CheckpointPolicy checkpoints) {

    /**
     * Closes all files, whatever happens.
     *
     * @param inOrder whether the store has not failed
     * @param indexBuild what fills the index; null when that is complete
     */
    void close(boolean inOrder, @Nullable IndexBuild indexBuild) {
        DataDirectory directory = store.directory();
        OwnerMark owner = store.owner();
        Closeable runs = tables::close;
        Closeable build = indexBuild == null ? () -> {} : indexBuild::close;
        try (directory;
                owner;
                runs;
                build) {
            if (inOrder) {
                closeInOrder(owner, indexBuild == null);
            } else {
                abandon();
            }
        } catch (IOException e) {
            throw new StoreFailedException(
                    "closing the store in " + store.options().directory() + " failed: " + FaultText.of(e), false, e);
        }
    }

    private void closeInOrder(OwnerMark owner, boolean isIndexed) throws IOException {
        try {
            log.syncAll();
            owner.check();
        } catch (IOException | RuntimeException | Error e) {
            abandon();
            throw e;
        }
        log.close();
        checkpoints.close(isIndexed);
        owner.endInOrder();
    }

    private void abandon() throws IOException {
        try {
            log.close();
        } finally {
            checkpoints.abandon();
        }
    }
}
