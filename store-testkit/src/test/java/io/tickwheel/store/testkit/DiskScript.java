package io.tickwheel.store.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Short words for the steps of a disk test, and the set of outcomes a step may have. */
final class DiskScript {
    private static final int SEEDS = 400;

    private DiskScript() {}

    interface Script {
        void play(SimulatedDisk disk) throws IOException;
    }

    interface Reading<T> {
        T of(SimulatedDisk disk) throws IOException;
    }

    /** What is read after the script and the crash, over many seeds. */
    static <T> Set<T> outcomes(CrashKind kind, Script script, Reading<T> reading) throws IOException {
        Set<T> seen = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            SimulatedDisk disk = new SimulatedDisk(seed);
            script.play(disk);
            disk.crash(kind);
            seen.add(reading.of(disk));
        }
        return seen;
    }

    static void createFile(Path file, String content) throws IOException {
        write(file, content, StandardOpenOption.CREATE_NEW);
    }

    static void append(Path file, String content) throws IOException {
        write(file, content, StandardOpenOption.APPEND);
    }

    static void write(Path file, String content, OpenOption option) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, option)) {
            channel.write(ByteBuffer.wrap(content.getBytes(US_ASCII)));
        }
    }

    static void overwrite(Path file, long position, String content) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(content.getBytes(US_ASCII)), position);
        }
    }

    static void syncData(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(false);
        }
    }

    static void syncAll(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The content, with {@code .} for a zero byte, or {@code "absent"}. */
    static String text(Path file) throws IOException {
        if (!Files.exists(file)) {
            return "absent";
        }
        return new String(Files.readAllBytes(file), US_ASCII).replace('\0', '.');
    }

    /** As {@link #text}, one character for each sector; {@code ?} for one that is not all the same. */
    static String sectors(Path file) throws IOException {
        if (!Files.exists(file)) {
            return "absent";
        }
        byte[] content = Files.readAllBytes(file);
        StringBuilder sectors = new StringBuilder();
        for (int from = 0; from < content.length; from += 512) {
            byte[] sector = Arrays.copyOfRange(content, from, Math.min(content.length, from + 512));
            boolean same = true;
            for (byte each : sector) {
                same &= each == sector[0];
            }
            sectors.append(!same ? '?' : sector[0] == 0 ? '.' : (char) sector[0]);
        }
        return sectors.toString();
    }

    static String names(Path directory) throws IOException {
        List<String> names = new ArrayList<>();
        try (var listing = Files.newDirectoryStream(directory)) {
            listing.forEach(entry -> names.add(entry.getFileName().toString()));
        }
        names.sort(null);
        return String.join(" ", names);
    }
}
