package io.tickwheel.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** What a figure was measured on. */
final class Machine {

    private static final int SYNCS = 500;
    private static final int BLOCK_BYTES = 4096;

    private Machine() {}

    static String describe(DataDirectory data) throws IOException {
        Histogram syncs = syncMicros(data.root().resolve("sync-probe"));
        Runtime runtime = Runtime.getRuntime();
        return """
               machine: %d x %s, %s %s, load %.2f
               java:    %s %s, heap %d MiB, %s
               disk:    %s, write of 4 KiB into a written file and fdatasync: p50 %d us, p99 %d us""".formatted(
                        runtime.availableProcessors(),
                        processor(),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                        System.getProperty("java.vm.name"),
                        System.getProperty("java.vm.version"),
                        runtime.maxMemory() >> 20,
                        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                                .filter(argument -> argument.startsWith("-X"))
                                .toList(),
                        Files.getFileStore(data.root()).type(),
                        syncs.getValueAtPercentile(50),
                        syncs.getValueAtPercentile(99));
    }

    private static String processor() throws IOException {
        Path cpuinfo = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(cpuinfo)) {
            return System.getProperty("os.arch");
        }
        try (Stream<String> lines = Files.lines(cpuinfo)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        }
    }

    private static Histogram syncMicros(Path file) throws IOException {
        Histogram micros = new Histogram(3);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
            for (int i = 0; i < SYNCS; i++) {
                channel.write(block.clear(), (long) i * BLOCK_BYTES);
            }
            channel.force(true);
            for (int i = 0; i < SYNCS; i++) {
                long start = System.nanoTime();
                channel.write(block.clear(), (long) i * BLOCK_BYTES);
                channel.force(false);
                micros.recordValue((System.nanoTime() - start) / 1_000);
            }
        }
        return micros;
    }
}
