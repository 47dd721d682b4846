package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.log.Frame;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.recovery.KeysFile;
import io.tickwheel.store.file.run.RunFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;

/**
 * Any bytes in the place of a file: the store is opened, or refused, or fails, with the exceptions that say so. {@code
 * JAZZER_FUZZ=1} looks for more; else what was found before is tried again, and a sound file.
 *
 * <p>The first byte of the input says whether the checksums are set right, so that what is behind them is reached too.
 */
class DecodersFuzzTest {

    private static final StoreImage IMAGE = StoreImage.closed();

    @FuzzTest(maxDuration = "1m")
    void segment(byte[] input) {
        String name = IMAGE.lastSegment();
        byte[] file = file(name, input);
        if (isRepaired(input) && file.length >= LogSegment.HEADER_BYTES) {
            System.arraycopy(IMAGE.files().get(name), 0, file, 0, LogSegment.HEADER_BYTES);
            repairFrames(file);
        }
        open(name, file);
    }

    private static void repairFrames(byte[] file) {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        long identity = StoreImage.identity(bytes);
        long lsn = bytes.getLong(24);
        for (int at = LogSegment.HEADER_BYTES; at + Frame.ALIGNMENT <= file.length; at += Frame.ALIGNMENT) {
            int epoch = bytes.getInt(at + 4);
            int count = bytes.getInt(at + 28);
            ByteBuffer frame = ByteBuffer.wrap(Arrays.copyOfRange(file, at, at + Frame.ALIGNMENT))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .position(Frame.ALIGNMENT);
            bytes.duplicate().position(at).put(Frame.seal(frame, epoch, lsn, 0, count, identity));
            lsn += Frame.ALIGNMENT;
        }
    }

    @FuzzTest(maxDuration = "1m")
    void run(byte[] input) {
        String name = first(DataDirectory.RUN_SUFFIX);
        byte[] file = file(name, input);
        if (isRepaired(input) && file.length > RunFormat.HEADER_BYTES + RunFormat.TRAILER_BYTES) {
            repairRun(file, IMAGE.files().get(name));
        }
        open(name, file);
    }

    private static void repairRun(byte[] file, byte[] sound) {
        System.arraycopy(sound, 0, file, 0, RunFormat.HEADER_BYTES);
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        long storeId = bytes.getLong(16);
        long number = bytes.getLong(24);
        int trailer = file.length - RunFormat.TRAILER_BYTES;
        bytes.putLong(trailer, RunFormat.END_MAGIC);
        long entriesAt = bytes.getLong(trailer + 16);
        long namesAt = bytes.getLong(trailer + 24);
        if (namesAt < 0 || namesAt > trailer || entriesAt < 0 || entriesAt > namesAt) {
            return;
        }
        int position = 0;
        for (long at = entriesAt; at + RunFormat.BLOCK_BYTES <= namesAt; at += RunFormat.BLOCK_BYTES) {
            ByteBuffer block =
                    ByteBuffer.wrap(file, (int) at, RunFormat.BLOCK_BYTES).slice();
            bytes.putInt(
                    (int) at + RunFormat.BLOCK_CRC_AT,
                    RunFormat.crc(storeId, number, position++, block, RunFormat.BLOCK_CRC_AT));
        }
        ByteBuffer end = ByteBuffer.wrap(file, (int) namesAt, file.length - (int) namesAt)
                .slice();
        int covered = end.limit() - RunFormat.TRAILER_BYTES + RunFormat.TRAILER_CRC_AT;
        bytes.putInt(trailer + RunFormat.TRAILER_CRC_AT, RunFormat.crc(storeId, number, -1, end, covered));
    }

    @FuzzTest(maxDuration = "1m")
    void progress(byte[] input) {
        String name = first(DataDirectory.PROGRESS_SUFFIX);
        byte[] file = file(name, input);
        if (isRepaired(input) && file.length >= 44) {
            System.arraycopy(IMAGE.files().get(name), 0, file, 0, 32);
            putCrc(file, file.length - Integer.BYTES);
        }
        open(name, file);
    }

    @FuzzTest(maxDuration = "1m")
    void manifest(byte[] input) {
        String name = IMAGE.manifest('A');
        byte[] file = file(name, input);
        if (isRepaired(input) && file.length >= 84) {
            putCrc(file, 80);
        }
        open(name, file);
    }

    @FuzzTest(maxDuration = "1m")
    void keys(byte[] input) {
        String name = first(DataDirectory.KEYS_SUFFIX);
        byte[] file = file(name, input);
        if (isRepaired(input) && file.length >= KeysFile.HEADER_BYTES + Integer.BYTES) {
            System.arraycopy(IMAGE.files().get(name), 0, file, 0, 32);
            ByteBuffer.wrap(file).putInt(12, 0);
            putCrc(file, KeysFile.HEADER_BYTES);
        }
        open(name, file);
    }

    private static void putCrc(byte[] file, int at) {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(at, RunFormat.crc(bytes, 0, at));
    }

    private static boolean isRepaired(byte[] input) {
        return input.length > 0 && (input[0] & 1) == 1;
    }

    /** Bit 1 of the first byte: the rest are changes (position u16, byte) of the sound file. */
    private static byte[] file(String name, byte[] input) {
        if (input.length == 0 || (input[0] & 2) == 0) {
            return input.length == 0 ? input : Arrays.copyOfRange(input, 1, input.length);
        }
        byte[] file = IMAGE.files().get(name).clone();
        for (int i = 1; i + 2 < input.length; i += 3) {
            int at = (Byte.toUnsignedInt(input[i]) << 8) | Byte.toUnsignedInt(input[i + 1]);
            // From the end too, where a run says how it is made up.
            file[at < 0x8000 ? at % file.length : file.length - 1 - at % file.length] = input[i + 2];
        }
        return file;
    }

    private static String first(String suffix) {
        return IMAGE.files().keySet().stream()
                .filter(name -> name.endsWith(suffix))
                .findFirst()
                .orElseThrow();
    }

    private static void open(String name, byte[] file) {
        Map<String, byte[]> files = IMAGE.with(name, file);
        SimulatedStore store = StoreImage.restore(files);
        // No oracle: where the checksums are right, anything may be found. It must just not do any harm.
        Workload workload = new Workload(store);
        try {
            workload.open();
            workload.schedule(0, 5, 10, OnConflict.KEEP);
            store.settle();
            store.close();
        } catch (StoreCorruptedException | StoreFormatException refusal) {
            assertThat(store.disk.openChannels()).isEmpty();
        } catch (StoreFailedException failure) {
            assertThat(failure).hasCauseInstanceOf(StoreCorruptedException.class);
        } catch (AssertionError differs) {
            if (differs.getStackTrace().length == 0 || isOfStore(differs)) {
                throw differs;
            }
        }
    }

    private static boolean isOfStore(AssertionError error) {
        String thrower = error.getStackTrace()[0].getClassName();
        return thrower.startsWith("io.tickwheel.store.file.") && !thrower.contains("Workload");
    }
}
