package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.disk.Manifest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Directories that earlier builds wrote, kept as test data: what is in them is found. {@code -Dtickwheel.golden=write} writes
 * the last ones of the present format anew, for the next build, which is right only before that is released.
 */
class GoldenDirectoryTest {

    private static final String TIMERS = "timers.txt";

    /** Those that the present build writes: timers have attempts that are remembered, with excerpts. */
    private static final String LAST = "format-" + Manifest.FORMAT + "-excerpts-";

    private static final String WITH_ATTEMPTS = "format-3-attempts-";

    private static StoreImage made(String name) {
        return name.endsWith("closed") ? StoreImage.closed() : StoreImage.killed();
    }

    private static Path source(String name) {
        return Path.of("src/test/resources/golden", name + ".zip");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "format-2-closed",
                "format-2-killed",
                "format-3-closed",
                "format-3-killed",
                "format-3-attempts-closed",
                "format-3-attempts-killed",
                "format-3-excerpts-closed",
                "format-3-excerpts-killed"
            })
    void everythingInADirectoryOfThatFormatIsFound(String name) throws IOException {
        if ("write".equals(System.getProperty("tickwheel.golden")) && name.startsWith(LAST)) {
            write(name);
        }
        StoreImage golden = read(name);
        Ledger ledger = golden.ledger();
        int timers = ledger.commands();
        ledger.now().keySet().forEach(key -> ledger.show(key, ledger.commands()));
        assertThat(ledger.now()).hasSizeGreaterThan(10);
        assertThat(ledger.now().values().stream()
                        .anyMatch(entry -> !entry.history().isEmpty()))
                .as("whether there are attempts")
                .isEqualTo(name.startsWith(LAST) || name.startsWith(WITH_ATTEMPTS));
        assertThat(ledger.now().values().stream()
                        .flatMap(entry -> entry.history().stream())
                        .anyMatch(attempt -> !attempt.excerpt().isEmpty()))
                .as("whether there are excerpts")
                .isEqualTo(name.startsWith(LAST));
        Workload workload = new Workload(StoreImage.restore(golden.files()), ledger);
        workload.useNames(Workload.plainNames());
        workload.openAndCheck();
        assertThat(ledger.commands()).as("nothing taken back").isEqualTo(timers);
    }

    /** What is in one of the directories, whose timers have plain names. */
    static StoreImage read(String name) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        InputStream golden = GoldenDirectoryTest.class.getResourceAsStream("/golden/" + name + ".zip");
        try (ZipInputStream zip = new ZipInputStream(Objects.requireNonNull(golden, name))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.put(entry.getName(), zip.readAllBytes());
            }
        }
        Ledger ledger = new Ledger();
        String timers = new String(files.remove(TIMERS), StandardCharsets.UTF_8);
        timers.lines().map(line -> line.split(" ", -1)).forEach(fields -> ledger.put(fields[0], entry(fields)));
        return new StoreImage(files, ledger);
    }

    /** Directories of format 2 do not say when a timer was due before its last attempt failed. */
    private static Ledger.Entry entry(String[] fields) {
        return new Ledger.Entry(
                Integer.parseInt(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields.length > 6 ? fields[6] : fields[3]),
                TimerState.valueOf(fields[4]),
                Integer.parseInt(fields[5]),
                fields.length > 7 ? history(fields[7]) : List.of());
    }

    private static List<PastAttempt> history(String attempts) {
        return Arrays.stream(attempts.split(",", -1))
                .filter(attempt -> !attempt.isEmpty())
                .map(attempt -> PastAttempt.decodePieces(pieces(attempt)).get(0))
                .toList();
    }

    private static List<byte[]> pieces(String attempt) {
        return Arrays.stream(attempt.split(":", -1))
                .map(HexFormat.of()::parseHex)
                .toList();
    }

    private static String text(List<PastAttempt> history) {
        return history.stream().map(GoldenDirectoryTest::text).collect(Collectors.joining(","));
    }

    private static String text(PastAttempt attempt) {
        String text = HexFormat.of().formatHex(attempt.encode());
        byte[] excerpt = attempt.excerpt().getBytes(StandardCharsets.UTF_8);
        return excerpt.length == 0 ? text : text + ":0000" + HexFormat.of().formatHex(excerpt);
    }

    private static void write(String name) throws IOException {
        StoreImage image = made(name);
        Map<String, byte[]> files = new TreeMap<>(image.files());
        StringBuilder timers = new StringBuilder();
        new TreeMap<>(image.ledger().now())
                .forEach((key, entry) -> timers.append(key)
                        .append(' ')
                        .append(entry.number())
                        .append(' ')
                        .append(entry.version())
                        .append(' ')
                        .append(entry.dueAtMs())
                        .append(' ')
                        .append(entry.state())
                        .append(' ')
                        .append(entry.attempts())
                        .append(' ')
                        .append(entry.attemptAtMs())
                        .append(' ')
                        .append(text(entry.history()))
                        .append('\n'));
        files.put(TIMERS, timers.toString().getBytes(StandardCharsets.UTF_8));
        Files.createDirectories(source(name).getParent());
        try (OutputStream out = Files.newOutputStream(source(name));
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                ZipEntry entry = new ZipEntry(file.getKey());
                entry.setTime(0);
                zip.putNextEntry(entry);
                zip.write(file.getValue());
            }
        }
    }

    @Test
    void otherFormatsAreRefusedByName() {
        for (int format : new int[] {1, 4}) {
            StoreImage image = StoreImage.closed();
            Map<String, byte[]> files = image.with("MANIFEST-A", manifest(format));
            files.put("MANIFEST-B", manifest(format));
            SimulatedStore store = StoreImage.restore(files);
            assertThatThrownBy(() -> new Workload(store).open())
                    .isInstanceOf(StoreFormatException.class)
                    .hasMessageContaining("has format " + format)
                    .hasMessageContaining("reads formats 2 and 3");
            Map<String, byte[]> left = StoreImage.read(store);
            left.keySet().retainAll(files.keySet());
            assertThat(StoreImage.same(left, files)).as("left as it is").isTrue();
        }
    }

    /** Format 1 had its checksum at 64. */
    private static byte[] manifest(int format) {
        int crcAt = format == 1 ? 64 : 80;
        ByteBuffer bytes = ByteBuffer.allocate(crcAt + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put("TWLMANF1".getBytes(StandardCharsets.US_ASCII)).putInt(format);
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), 0, crcAt);
        return bytes.putInt(crcAt, (int) crc.getValue()).array();
    }
}
