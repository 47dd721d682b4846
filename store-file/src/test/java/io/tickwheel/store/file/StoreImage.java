package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.log.Frame;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The bytes of all files of a store at rest, by their names, and the ledger of what is in them. */
record StoreImage(Map<String, byte[]> files, Ledger ledger) {

    static final String LOCK = "LOCK";

    /** Seed, checkpoint bytes and this are such that all kinds of files are there, with runs of all tiers. */
    private static final int RESTART = 36;

    private static final long DAY_MS = 24 * 3_600_000L;

    /** Several segments, runs of all tiers, progress, spares and keys, everything answered and shown, closed in order. */
    static StoreImage closed() {
        SimulatedStore store = newStore();
        Workload workload = new Workload(store);
        fill(store, workload);
        store.close();
        return of(store, workload);
    }

    /** The same without keys, killed when it had nothing to do. */
    static StoreImage killed() {
        SimulatedStore store = newStore();
        Workload workload = new Workload(store);
        fill(store, workload);
        store.rest();
        store.crash(CrashKind.PROCESS_KILL);
        return of(store, workload);
    }

    /** One timer in the only segment, killed when it had nothing to do. */
    static StoreImage killedYoung() {
        SimulatedStore store = newStore();
        Workload workload = new Workload(store);
        workload.openAndCheck();
        workload.schedule(0, 1, 100, OnConflict.REPLACE);
        store.rest();
        store.crash(CrashKind.PROCESS_KILL);
        return of(store, workload);
    }

    /** Its log has several segments that its runs do not stand for. */
    private static SimulatedStore newStore() {
        return new SimulatedStore(353, UnaryOperator.identity(), 12_000).busy();
    }

    private static void fill(SimulatedStore store, Workload workload) {
        workload.openAndCheck();
        workload.load(CanonicalScript.HOUR_MS);
        for (int i = 0; i < 44; i++) {
            if (i == RESTART) {
                // The log then has segments of two owners.
                store.settle();
                store.crash(CrashKind.PROCESS_KILL);
                workload.openAndCheck();
            }
            // The later ones stay away from most keys, so that what the middle of the log says of those is not said
            // again.
            int key = i < 34 ? i % (Workload.KEYS - 1) : i % 3;
            workload.schedule(key, dueAtMs(i), i % 13 * 30, OnConflict.REPLACE);
            if (i % 5 == 0) {
                workload.cancel(key);
            }
            store.settle();
            workload.claimAny();
            workload.endAnyClaim(i * 1_000_000L);
            store.settle();
        }
        for (int key = 0; key < Workload.KEYS; key++) {
            workload.find(key);
        }
        store.settle();
    }

    /** From now to years ahead, so that there is something for each tier. */
    private static long dueAtMs(int i) {
        return switch (i % 4) {
            case 0, 1 -> i * 1_000L;
            case 2 -> 10 * DAY_MS + i;
            default -> 1_000 * DAY_MS + i;
        };
    }

    private static StoreImage of(SimulatedStore store, Workload workload) {
        return new StoreImage(read(store), workload.ledger());
    }

    /** What is in the directory of a store now. */
    static Map<String, byte[]> read(SimulatedStore store) {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(store.directory())) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                files.put(store.directory().relativize(path).toString(), store.disk.visibleBytes(path));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    /** A store with these files, not opened. */
    static SimulatedStore restore(Map<String, byte[]> files) {
        SimulatedStore store = new SimulatedStore(1);
        SimulatedDisk disk = store.disk;
        try {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                Path path = store.directory().resolve(file.getKey());
                Files.createDirectories(path.getParent());
                Files.createFile(path);
                disk.damage(path, file.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return store;
    }

    /** These files with another content of one of them, or without it. */
    Map<String, byte[]> with(String file, byte[] content) {
        Map<String, byte[]> changed = new TreeMap<>(files);
        changed.put(file, content);
        return changed;
    }

    Map<String, byte[]> without(String file) {
        Map<String, byte[]> changed = new TreeMap<>(files);
        changed.remove(file);
        return changed;
    }

    Map<String, byte[]> swapped(String one, String other) {
        Map<String, byte[]> changed = new TreeMap<>(files);
        changed.put(one, files.get(other));
        changed.put(other, files.get(one));
        return changed;
    }

    /** A slot of the manifests of the owner. */
    String manifest(char slot) {
        List<String> slots = files.keySet().stream()
                .filter(name -> name.matches("MANIFEST-[0-9a-f]{8}-" + slot))
                .toList();
        assertThat(slots).hasSize(1);
        return slots.get(0);
    }

    /** The segment at the end of the log; there is one before it. */
    String lastSegment() {
        List<String> segments = files.keySet().stream()
                .filter(name -> name.endsWith(SegmentName.SUFFIX))
                .toList();
        assertThat(segments).hasSizeGreaterThan(1);
        return segments.get(segments.size() - 1);
    }

    /** What the frames of a segment have in their checksums. */
    static long identity(ByteBuffer segment) {
        return LogSegment.identity(segment.getLong(16), new SegmentName(segment.getLong(24), segment.getInt(32)));
    }

    /** Where the last frame of a segment ends; behind it may be what a file that is used again held before. */
    static int logEnd(byte[] segment) {
        ByteBuffer bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
        long identity = identity(bytes);
        int end = LogSegment.HEADER_BYTES;
        Frame.Header frame = Frame.read(bytes, end, identity);
        while (frame != null) {
            end += frame.bytes();
            frame = Frame.read(bytes, end, identity);
        }
        return end;
    }

    /** Whether behind the last frame of a segment there is one that belongs there and is not whole. */
    static boolean isTorn(byte[] segment) {
        if (segment.length < LogSegment.HEADER_BYTES) {
            return false;
        }
        int end = logEnd(segment);
        ByteBuffer bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
        long lsn = bytes.getLong(24) + end - LogSegment.HEADER_BYTES;
        return segment.length - end >= Frame.HEADER_BYTES
                && bytes.getLong(end + 8) == lsn
                && bytes.getInt(end + 24) > Frame.ALIGNMENT;
    }

    static boolean same(Map<String, byte[]> some, Map<String, byte[]> others) {
        return some.keySet().equals(others.keySet())
                && some.keySet().stream().allMatch(name -> Arrays.equals(some.get(name), others.get(name)));
    }
}
