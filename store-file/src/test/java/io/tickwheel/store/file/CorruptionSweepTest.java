package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.log.Frame;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.run.RunFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damages a store at rest in every place: it is either opened with all that was accepted, or refused and left as it is, or, where
 * the damage is in a run and not looked at before, it fails when that is read, with nothing wrong shown until then.
 *
 * <p>With {@code -Dtickwheel.stride=7} one byte in 13 is damaged, so that each place of a number of eight bytes has its turn, and other
 * ones in one image than in the other; every one with {@code -Pfull}. Of long stretches of zeros it is one in 16, and one length in 23 is
 * tried, or in 11; {@code -Dtickwheel.sweep=all} takes them all.
 *
 * <p>The one limit, in a test of its own: a log that was killed and then lost its end looks as if that had never been synced.
 */
@Tag("simulated")
class CorruptionSweepTest {

    private static final int STRIDE = Integer.getInteger("tickwheel.stride", 1);
    private static final boolean ALL = "all".equals(System.getProperty("tickwheel.sweep"));
    private static final int CUT = ALL ? 1 : STRIDE <= 2 ? 11 : 23;
    private static final int STEP = ALL || STRIDE <= 2 ? 1 : 2 * STRIDE - 1;

    private enum Rest {
        CLOSED,
        KILLED;

        StoreImage image() {
            return this == CLOSED ? StoreImage.closed() : StoreImage.killed();
        }
    }

    /** What came of the damages of one test. */
    private static final class Tally {
        private int intact;
        private int refused;
        private int failed;
        private final List<String> silent = new ArrayList<>();
    }

    @ParameterizedTest
    @EnumSource
    void flippedBitInAnyByteIsHarmlessOrRefused(Rest rest) {
        StoreImage image = rest.image();
        Tally tally = new Tally();
        image.files().forEach((name, bytes) -> {
            for (int i = rest == Rest.CLOSED ? 0 : STEP - 1; i < bytes.length; i += STEP) {
                if (!ALL && i / STEP % 16 != 0 && isAmongZeros(bytes, i)) {
                    continue;
                }
                byte[] damaged = bytes.clone();
                damaged[i] ^= (byte) (1 << (i % Byte.SIZE));
                open(image, image.with(name, damaged), name + " bit flipped in byte " + i, tally);
            }
        });
        check(tally, 5_000 / STEP);
        assertThat(tally.failed).as("failed at reading").isGreaterThan(300 / STEP);
    }

    private static boolean isAmongZeros(byte[] bytes, int at) {
        for (int i = Math.max(0, at - 16); i < Math.min(bytes.length, at + 16); i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    @ParameterizedTest
    @EnumSource
    void imageHasAllKindsOfFilesAndRunsOfAllTiers(Rest rest) {
        StoreImage image = rest.image();
        Map<String, byte[]> files = image.files();
        assertThat(files.keySet())
                .filteredOn(name -> name.endsWith(SegmentName.SUFFIX))
                .hasSizeGreaterThan(1);
        assertThat(files.keySet()).filteredOn(name -> name.contains("spare-")).isNotEmpty();
        assertThat(files.keySet())
                .filteredOn(name -> name.endsWith(DataDirectory.PROGRESS_SUFFIX))
                .hasSize(1);
        assertThat(files.keySet())
                .filteredOn(name -> name.endsWith(DataDirectory.KEYS_SUFFIX))
                .hasSize(rest == Rest.CLOSED ? 1 : 0);
        Set<Integer> tiers = new TreeSet<>();
        files.forEach((name, bytes) -> {
            if (name.endsWith(DataDirectory.RUN_SUFFIX)) {
                ByteBuffer run = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
                tiers.add(run.getInt(bytes.length - RunFormat.TRAILER_BYTES + 12));
            }
        });
        assertThat(tiers).contains(0, 1, 2);
    }

    @ParameterizedTest
    @EnumSource
    void fileCutAtAnyLengthIsHarmlessOrRefused(Rest rest) {
        StoreImage image = rest.image();
        Tally tally = new Tally();
        image.files().forEach((name, bytes) -> {
            for (int length = 0; length < bytes.length && !isEnd(rest, image, name); length += CUT) {
                open(image, image.with(name, Arrays.copyOf(bytes, length)), name + " cut at " + length, tally);
            }
        });
        check(tally, 11_000 / CUT);
    }

    private static boolean isEnd(Rest rest, StoreImage image, String name) {
        return rest == Rest.KILLED && name.equals(image.lastSegment());
    }

    @Test
    void killedLogThatLostItsEndIsRefusedOrOpenedWithAllUpToThere() {
        StoreImage image = StoreImage.killed();
        String name = image.lastSegment();
        byte[] bytes = image.files().get(name);
        int firstFrameEnd = LogSegment.HEADER_BYTES + frameBytes(bytes, LogSegment.HEADER_BYTES);
        int markBegin = StoreImage.logEnd(bytes) - Frame.ALIGNMENT;
        for (int length = 0; length < bytes.length; length += STEP) {
            boolean proven = length < firstFrameEnd;
            Tally tally = new Tally();
            Ledger ledger = length < markBegin ? image.ledger().unseen() : image.ledger();
            Map<String, byte[]> damaged = image.with(name, Arrays.copyOf(bytes, length));
            open(new StoreImage(image.files(), ledger), damaged, name + " cut at " + length, tally);
            assertThat(tally.silent).isEmpty();
            // The segment before says that this one holds a frame.
            assertThat(tally.refused).as("cut at " + length).isEqualTo(proven ? 1 : 0);
        }
    }

    private static int frameBytes(byte[] segment, int from) {
        int bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN).getInt(from + 24);
        return bytes < Frame.HEADER_BYTES || bytes > segment.length ? Frame.HEADER_BYTES : bytes;
    }

    @ParameterizedTest
    @EnumSource
    void missingOrSwappedFileIsHarmlessOrRefused(Rest rest) {
        StoreImage image = rest.image();
        Tally tally = new Tally();
        for (String name : image.files().keySet()) {
            open(image, image.without(name), name + " deleted", tally);
            for (String other : image.files().keySet()) {
                if (!name.equals(other)) {
                    if (kind(name).equals(kind(other))) {
                        open(image, image.swapped(name, other), name + " swapped with " + other, tally);
                    }
                    byte[] content = image.files().get(other);
                    open(image, image.with(name, content), name + " overwritten with " + other, tally);
                }
            }
        }
        check(tally, 20);
    }

    @Test
    void missingOnlySegmentIsRefused() {
        StoreImage image = StoreImage.killedYoung();
        Tally tally = new Tally();
        open(image, image.without("commitlog/0000000000000000-00000001.log"), "the log deleted", tally);
        assertThat(tally.silent).isEmpty();
        assertThat(tally.refused).isEqualTo(1);
    }

    private static String kind(String name) {
        return name.replaceAll("[0-9a-f]{16}(-[0-9a-f]{8})?|[0-9a-f]{8}-|[AB]$", "");
    }

    @ParameterizedTest
    @EnumSource
    void zeroedOrRepeatedOrAddedSectorIsHarmlessOrRefused(Rest rest) {
        StoreImage image = rest.image();
        Tally tally = new Tally();
        image.files().forEach((name, bytes) -> {
            for (int from = 0; from < bytes.length; from += 64) {
                int to = Math.min(bytes.length, from + 512);
                boolean takesEnd = to > StoreImage.logEnd(bytes) - Frame.ALIGNMENT;
                if (takesEnd && isEnd(rest, image, name)) {
                    continue;
                }
                byte[] zeroed = bytes.clone();
                Arrays.fill(zeroed, from, to, (byte) 0);
                open(image, image.with(name, zeroed), name + " zeroed from " + from, tally);
                byte[] repeated = bytes.clone();
                System.arraycopy(bytes, 0, repeated, from, Math.min(512, bytes.length - from));
                open(image, image.with(name, repeated), name + " its beginning again at " + from, tally);
            }
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 512);
            open(image, image.with(name, longer), name + " longer by zeros", tally);
            System.arraycopy(bytes, 0, longer, bytes.length, Math.min(512, bytes.length));
            open(image, image.with(name, longer), name + " longer by its own beginning", tally);
        });
        check(tally, 100);
    }

    @ParameterizedTest
    @EnumSource
    void soundFrameInAWrongPlaceIsHarmlessOrRefused(Rest rest) {
        StoreImage image = rest.image();
        Tally tally = new Tally();
        image.files().forEach((name, bytes) -> {
            if (name.endsWith(SegmentName.SUFFIX)) {
                int end = StoreImage.logEnd(bytes);
                for (int from = LogSegment.HEADER_BYTES; from < end; from += frameBytes(bytes, from)) {
                    byte[] frame = Arrays.copyOfRange(bytes, from, from + frameBytes(bytes, from));
                    byte[] longer = Arrays.copyOf(bytes, bytes.length + frame.length);
                    System.arraycopy(frame, 0, longer, bytes.length, frame.length);
                    open(image, image.with(name, longer), name + " frame of " + from + " again at the end", tally);
                    byte[] misdirected = bytes.clone();
                    int to = from + frame.length;
                    System.arraycopy(frame, 0, misdirected, to, Math.min(frame.length, bytes.length - to));
                    boolean takesEnd = to + frame.length > StoreImage.logEnd(bytes) - Frame.ALIGNMENT;
                    if (!takesEnd || !isEnd(rest, image, name)) {
                        open(image, image.with(name, misdirected), name + " frame of " + from + " again", tally);
                    }
                }
            }
        });
        check(tally, 20);
    }

    private static void open(StoreImage image, Map<String, byte[]> damaged, String damage, Tally tally) {
        SimulatedStore store = StoreImage.restore(damaged);
        Workload workload = new Workload(store, image.ledger());
        try {
            workload.openAndCheck();
            tally.intact++;
        } catch (StoreFailedException failure) {
            tally.failed++;
            assertThat(failure).as(damage).hasCauseInstanceOf(StoreCorruptedException.class);
            StoreCorruptedException cause = (StoreCorruptedException) failure.getCause();
            assertThat(cause.file()).as(damage).startsWith("schedulelog/").endsWith(DataDirectory.RUN_SUFFIX);
            assertThat(cause.offset()).as(damage).isBetween(0L, 1L << 20);
            try {
                workload.checkSeen();
                store.calendar().close();
                assertThat(store.disk.openChannels()).as(damage).isEmpty();
            } catch (AssertionError wrong) {
                tally.silent.add(damage + ": " + wrong.getMessage());
            }
        } catch (StoreCorruptedException refusal) {
            assertThat(refusal.file()).as(damage).isNotEmpty();
            tally.refused++;
            checkLeftAsItIs(store, damaged, damage);
        } catch (StoreFormatException refusal) {
            assertThat(refusal).as(damage).hasMessageContaining("MANIFEST-");
            tally.refused++;
            checkLeftAsItIs(store, damaged, damage);
        } catch (StoreException | AssertionError wrong) {
            tally.silent.add(damage + ": " + wrong.getMessage());
        } catch (RuntimeException other) {
            fail(damage, other);
        }
    }

    private static void checkLeftAsItIs(SimulatedStore store, Map<String, byte[]> damaged, String damage) {
        assertThat(store.disk.openChannels()).as(damage).isEmpty();
        Map<String, byte[]> left = new TreeMap<>(StoreImage.read(store));
        if (!damaged.containsKey(StoreImage.LOCK)) {
            left.remove(StoreImage.LOCK);
        }
        assertThat(StoreImage.same(left, damaged))
                .as(damage + ": files changed")
                .isTrue();
    }

    private static void check(Tally tally, int cases) {
        assertThat(tally.silent).isEmpty();
        assertThat(tally.intact + tally.refused + tally.failed).as("damages").isGreaterThan(cases);
        assertThat(tally.refused).as("refused").isPositive();
        assertThat(tally.intact).as("intact").isPositive();
    }
}
