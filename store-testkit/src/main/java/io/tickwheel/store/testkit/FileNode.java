package io.tickwheel.store.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A file: what readers see, what the disk holds, and the changes between them in order. Not thread-safe.
 *
 * <pre>
 *   write ──&gt; visible (page cache)
 *      '────&gt; pending ──sync──&gt; durable
 *                 '──power loss──&gt; any part of it reaches durable, then visible := durable
 *                 '──failed sync─&gt; any part of it reaches durable, visible keeps all, pending is forgotten
 * </pre>
 *
 * The last line is what Linux does: the pages of a failed write-back are marked clean, so the next sync has nothing to
 * write and succeeds ("Can Applications Recover from fsync Failures?", USENIX ATC 2020).
 */
final class FileNode implements Node {
    private final ByteImage visible = new ByteImage();
    private final ByteImage durable = new ByteImage();
    private final List<PendingChange> pending = new ArrayList<>();

    /** False only while visible and durable are known to be equal, which spares a crash the copying. */
    private boolean diverged;

    /** The bytes that the disk does not give back. */
    private final BitSet spoiled = new BitSet();

    /** How many syncs have failed. A channel that has not seen the latest count reports an error at its next sync. */
    private int syncErrors;

    /** A {@link DiskLock}, or the mark of another process. */
    private @Nullable Object lockHolder;

    int size() {
        return visible.size();
    }

    /** Reads up to what cannot be read. */
    int read(int offset, ByteBuffer target) {
        int next = spoiled.nextSetBit(offset);
        if (next < 0 || next - offset >= target.remaining()) {
            return visible.read(offset, target);
        }
        ByteBuffer before = target.slice(target.position(), next - offset);
        int read = visible.read(offset, before);
        target.position(target.position() + read);
        return read;
    }

    boolean isSpoiled(int offset) {
        return spoiled.get(offset);
    }

    void spoil(int from, int to) {
        spoiled.set(from, to);
    }

    void write(int offset, byte[] bytes, int length) {
        if (length > 0) {
            spoiled.clear(offset, offset + length);
            change(new PendingChange.Write(offset, length == bytes.length ? bytes : Arrays.copyOf(bytes, length)));
        }
    }

    void truncate(int size) {
        if (size < visible.size()) {
            change(new PendingChange.Truncation(size));
        }
    }

    private void change(PendingChange change) {
        change.applyTo(visible);
        pending.add(change);
        diverged = true;
    }

    void sync() {
        for (PendingChange change : pending) {
            change.applyTo(durable);
        }
        // After a failed sync the images differ even with nothing pending.
        diverged = syncErrors > 0;
        pending.clear();
    }

    void failSync(SplittableRandom random) {
        keepRemains(random);
        syncErrors++;
    }

    int syncErrors() {
        return syncErrors;
    }

    void losePower(SplittableRandom random) {
        lockHolder = null;
        if (diverged) {
            keepRemains(random);
            visible.set(durable);
            diverged = false;
        }
    }

    private void keepRemains(SplittableRandom random) {
        boolean cleanPrefix = random.nextInt(3) == 0;
        int prefix = cleanPrefix ? random.nextInt(pending.size() + 1) : 0;
        for (int i = 0; i < pending.size(); i++) {
            if (!cleanPrefix) {
                pending.get(i).applyRemains(durable, random);
            } else if (i < prefix) {
                pending.get(i).applyTo(durable);
            }
        }
        pending.clear();
    }

    /** Reads the clean pages anew: what a failed sync left only in memory is gone. */
    void dropCache() {
        visible.set(durable);
        for (PendingChange change : pending) {
            change.applyTo(visible);
        }
    }

    /** Replaces the content, both visible and durable, as damage to a file at rest does. */
    void damage(byte[] content) {
        pending.clear();
        spoiled.clear();
        visible.set(content, content.length);
        durable.set(visible);
    }

    byte[] visibleBytes() {
        return visible.toByteArray();
    }

    byte[] durableBytes() {
        return durable.toByteArray();
    }

    @Nullable
    Object lockHolder() {
        return lockHolder;
    }

    void lockHolder(@Nullable Object holder) {
        lockHolder = holder;
    }
}
