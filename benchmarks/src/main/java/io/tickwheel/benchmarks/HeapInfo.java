package io.tickwheel.benchmarks;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code jcmd GC.heap_info} prints, of G1 or the serial collector. */
final class HeapInfo {

    private static final Pattern USED =
            Pattern.compile(" (?:total|total reserved \\d+K, committed) \\d+K, used (\\d+)K");
    private static final long KIB = 1_024;

    private HeapInfo() {}

    /** The bytes that the heap uses: all generations, without metadata. */
    static long usedBytes(String printed) {
        int metaspace = printed.indexOf("Metaspace");
        Matcher used = USED.matcher(metaspace < 0 ? printed : printed.substring(0, metaspace));
        long bytes = 0;
        while (used.find()) {
            bytes += Long.parseLong(used.group(1)) * KIB;
        }
        if (bytes == 0) {
            throw new IllegalStateException("no heap in " + printed);
        }
        return bytes;
    }
}
