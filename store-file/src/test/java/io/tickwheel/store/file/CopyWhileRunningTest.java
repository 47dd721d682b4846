package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A directory that is copied with the tools of the system while the store works, a piece of a file at a time and in any order.
 * {@code -Dtickwheel.copies=100000} makes more of them.
 */
class CopyWhileRunningTest {

    private static final int COPIES = 1_000;

    private final List<String> refusals = new ArrayList<>();

    @Test
    void copyHoldsAllThatWasShownBeforeItWasBegunOrIsRefused() throws IOException {
        int copies = Integer.getInteger("tickwheel.copies", COPIES);
        for (int seed = 0; seed < copies; seed++) {
            try {
                copyAndOpen(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        assertThat(refusals.size()).as("copies that are refused").isBetween(copies / 100, copies * 3 / 4);
    }

    private void copyAndOpen(int seed) throws IOException {
        SimulatedStore store = new SimulatedStore(seed);
        Workload workload = new Workload(store);
        workload.openAndCheck();
        work(store, workload, 30 + store.random.nextInt(60));
        int shown = workload.ledger().shown();
        Map<String, byte[]> copy = copy(store, workload, store.random.nextInt(3));
        store.settle();
        SimulatedStore copied = StoreImage.restore(copy);
        Workload reader = new Workload(copied, workload.ledger().shownUpTo(shown));
        try {
            reader.open();
        } catch (StoreException refusal) {
            refusals.add(refusal.getMessage());
            return;
        }
        reader.check();
    }

    private static void work(SimulatedStore store, Workload workload, int commands) {
        for (int i = 0; i < commands; i++) {
            int key = store.random.nextInt(Workload.KEYS);
            switch (store.random.nextInt(6)) {
                case 0 -> workload.cancel(key);
                case 1 -> workload.load(CanonicalScript.HOUR_MS * (1 + store.random.nextInt(40)));
                case 2 -> workload.claimAny();
                case 3 -> workload.endAnyClaim(0);
                default ->
                    workload.schedule(
                            key,
                            store.random.nextLong(50 * CanonicalScript.HOUR_MS),
                            store.random.nextInt(400),
                            OnConflict.REPLACE);
            }
            for (int steps = store.random.nextInt(5); steps > 0; steps--) {
                store.step();
            }
        }
    }

    /** @param haste how much happens between two pieces */
    private static Map<String, byte[]> copy(SimulatedStore store, Workload workload, int haste) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.walk(store.directory())) {
            files = new ArrayList<>(found.filter(Files::isRegularFile).toList());
        }
        Collections.sort(files);
        Collections.shuffle(files, new Random(store.random.nextLong()));
        Map<String, byte[]> copy = new TreeMap<>();
        for (Path file : files) {
            if (Files.exists(file)) {
                copy.put(store.directory().relativize(file).toString(), copyFile(store, workload, file, haste));
            }
            work(store, workload, store.random.nextInt(haste + 1));
        }
        return copy;
    }

    /** Who has opened a file reads on in it although it is renamed or deleted meanwhile. */
    private static byte[] copyFile(SimulatedStore store, Workload workload, Path file, int haste) throws IOException {
        ByteArrayOutputStream copy = new ByteArrayOutputStream();
        try (var channel = Files.newByteChannel(file)) {
            ByteBuffer piece = ByteBuffer.allocate(512 * (1 + store.random.nextInt(20)));
            while (channel.read(piece) > 0) {
                copy.writeBytes(Arrays.copyOf(piece.array(), piece.position()));
                piece.clear();
                if (store.random.nextInt(4) == 0) {
                    work(store, workload, store.random.nextInt(haste + 1));
                }
            }
        }
        return copy.toByteArray();
    }
}
