package io.tickwheel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How much of the processors went to somebody else while a program ran: beyond a few per cent, its rates and latencies say
 * little. Known on Linux only. Counts as own what this process and its ended children used.
 */
final class OtherLoad {

    private static final Path ALL = Path.of("/proc/stat");
    private static final Path OWN = Path.of("/proc/self/stat");

    private final Optional<Ticks> start;

    private record Ticks(long busy, long idle, long own) {}

    private OtherLoad(Optional<Ticks> start) {
        this.start = start;
    }

    static OtherLoad watch() throws IOException {
        return new OtherLoad(read());
    }

    String report() throws IOException {
        Optional<Ticks> end = read();
        if (start.isEmpty() || end.isEmpty()) {
            return "others: not known here";
        }
        long busy = end.get().busy - start.get().busy;
        long idle = end.get().idle - start.get().idle;
        long own = end.get().own - start.get().own;
        double others = 100.0 * Math.max(0, busy - own) / Math.max(1, busy + idle);
        return String.format(Locale.ROOT, "others: used %.0f %% of the processors meanwhile", others);
    }

    private static Optional<Ticks> read() throws IOException {
        if (!Files.isReadable(ALL) || !Files.isReadable(OWN)) {
            return Optional.empty();
        }
        // cpu user nice system idle iowait irq softirq steal ...
        List<Long> all = numbers(Files.readAllLines(ALL).get(0).substring("cpu  ".length()), 8);
        long idle = all.get(3) + all.get(4);
        long busy = all.stream().mapToLong(Long::longValue).sum() - idle;
        // After the name in parentheses: state, then numbers; utime stime cutime cstime are the 14th to 17th of all
        // fields.
        String own = Files.readString(OWN).strip();
        List<Long> fields = numbers(own.substring(own.lastIndexOf(')') + ") S ".length()), 14);
        long used = fields.subList(10, 14).stream().mapToLong(Long::longValue).sum();
        return Optional.of(new Ticks(busy, idle, used));
    }

    private static List<Long> numbers(String line, int count) {
        return Arrays.stream(line.split(" ", -1))
                .limit(count)
                .map(Long::valueOf)
                .toList();
    }
}
