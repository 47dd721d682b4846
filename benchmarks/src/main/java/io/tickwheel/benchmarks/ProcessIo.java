package io.tickwheel.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process has caused to be written to disks, as Linux counts it: whole pages, ended threads included. */
final class ProcessIo {

    private static final String WRITTEN = "write_bytes: ";

    private ProcessIo() {}

    static long bytesWritten() throws IOException {
        return bytesWritten(Path.of("/proc/self/io"));
    }

    static long bytesWritten(long pid) throws IOException {
        return bytesWritten(Path.of("/proc", Long.toString(pid), "io"));
    }

    private static long bytesWritten(Path counters) throws IOException {
        return Files.readAllLines(counters).stream()
                .filter(line -> line.startsWith(WRITTEN))
                .mapToLong(line -> Long.parseLong(line.substring(WRITTEN.length())))
                .findFirst()
                .orElseThrow(() -> new IOException(counters + " has no " + WRITTEN));
    }
}
