package io.tickwheel.store.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.CopyOption;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Without crashes and faults, the simulated disk answers every call as a Linux file system does. */
final class RealDiskComparisonTest {
    private static final int SEEDS = 80;
    private static final int STEPS = 60;

    @TempDir
    Path temporary;

    @Test
    @EnabledOnOs(OS.LINUX)
    void sameCallsGiveSameAnswers() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            Path realRoot = Files.createDirectory(temporary.resolve("seed-" + seed));
            try (Session real = new Session(realRoot, seed);
                    Session simulated = new Session(new SimulatedDisk(seed).root(), seed)) {
                for (int step = 0; step < STEPS; step++) {
                    assertThat(simulated.step())
                            .as("seed %d step %d", seed, step)
                            .isEqualTo(real.step());
                }
                assertThat(simulated.contents()).as("seed %d", seed).isEqualTo(real.contents());
            }
        }
    }

    /** A random sequence of calls below one directory. Two sessions of one seed make the same calls. */
    private static final class Session implements AutoCloseable {
        private static final List<String> NAMES = List.of("a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "a/b");

        private final Path root;
        private final SplittableRandom random;
        private final List<FileChannel> channels = new ArrayList<>();

        Session(Path root, long seed) {
            this.root = root;
            this.random = new SplittableRandom(seed);
        }

        /** Makes one call; returns it with its result, or the class of its exception. */
        String step() {
            int call = random.nextInt(12);
            Path path = anyPath();
            Path other = anyPath();
            String described = call + " " + root.relativize(path) + " " + root.relativize(other) + ": ";
            SplittableRandom arguments = random.split();
            try {
                return described + call(call, path, other, arguments);
            } catch (IOException | IllegalArgumentException | IllegalStateException refused) {
                return described + fault(refused);
            }
        }

        /** For a path through a file that is no directory, JDK 17 says that, and JDK 25 that there is no such file. */
        private static String fault(Exception refused) {
            boolean either = refused instanceof NoSuchFileException;
            return (either ? FileSystemException.class : refused.getClass()).getSimpleName();
        }

        private String call(int call, Path path, Path other, SplittableRandom arguments) throws IOException {
            return switch (call) {
                case 0, 1 -> open(path, arguments);
                case 2 -> root.relativize(Files.createDirectories(path)).toString();
                case 3 -> root.relativize(Files.createDirectory(path)).toString();
                case 4 ->
                    root.relativize(Files.move(path, other, moveOptions(arguments)))
                            .toString();
                case 5 -> "deleted " + Files.deleteIfExists(path);
                case 6 -> Files.exists(path) + " " + Files.isDirectory(path) + " " + Files.isRegularFile(path);
                case 7 -> "size " + (Files.isDirectory(path) ? 0 : Files.size(path));
                case 8 -> listing(path);
                case 9 -> new String(Files.readAllBytes(Files.write(path, bytes(arguments))), US_ASCII);
                default -> channels.isEmpty() ? "" : use(channels.get(arguments.nextInt(channels.size())), arguments);
            };
        }

        private String open(Path path, SplittableRandom arguments) throws IOException {
            Set<OpenOption> options = new HashSet<>();
            for (OpenOption option : List.of(
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.APPEND,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.TRUNCATE_EXISTING)) {
                if (arguments.nextInt(3) == 0) {
                    options.add(option);
                }
            }
            FileChannel channel = FileChannel.open(path, options);
            if (Files.isDirectory(path)) {
                // The size of a directory differs from one file system to the next.
                channel.close();
            } else {
                channels.add(channel);
            }
            return "opened";
        }

        private static CopyOption[] moveOptions(SplittableRandom arguments) {
            return switch (arguments.nextInt(3)) {
                case 0 -> new CopyOption[] {};
                case 1 -> new CopyOption[] {StandardCopyOption.REPLACE_EXISTING};
                default -> new CopyOption[] {StandardCopyOption.ATOMIC_MOVE};
            };
        }

        private static String listing(Path path) throws IOException {
            try (Stream<Path> entries = Files.list(path)) {
                return entries.map(entry -> entry.getFileName().toString())
                        .sorted()
                        .toList()
                        .toString();
            }
        }

        private static String use(FileChannel channel, SplittableRandom arguments) throws IOException {
            ByteBuffer target = ByteBuffer.allocate(arguments.nextInt(20));
            int position = arguments.nextInt(40);
            return switch (arguments.nextInt(9)) {
                case 0 -> "wrote " + channel.write(ByteBuffer.wrap(bytes(arguments))) + " to " + channel.position();
                case 1 ->
                    "wrote "
                            + channel.write(new ByteBuffer[] {
                                ByteBuffer.wrap(bytes(arguments)), ByteBuffer.wrap(bytes(arguments))
                            })
                            + " to "
                            + channel.position();
                case 2 -> "read " + channel.read(target) + " " + new String(target.array(), US_ASCII);
                case 3 -> "read " + channel.read(target, position) + " " + new String(target.array(), US_ASCII);
                case 4 ->
                    "read "
                            + channel.read(new ByteBuffer[] {ByteBuffer.allocate(3), target})
                            + " "
                            + new String(target.array(), US_ASCII);
                case 5 -> "at " + channel.position(position).position();
                case 6 -> "cut " + channel.truncate(position).position() + " " + channel.size();
                case 7 -> closeOrForce(channel, arguments);
                default -> "size " + channel.size();
            };
        }

        private static String closeOrForce(FileChannel channel, SplittableRandom arguments) throws IOException {
            if (arguments.nextBoolean()) {
                channel.close();
            } else {
                channel.force(arguments.nextBoolean());
            }
            return "open " + channel.isOpen();
        }

        private static byte[] bytes(SplittableRandom arguments) {
            byte[] bytes = new byte[arguments.nextInt(30)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) ('a' + arguments.nextInt(26));
            }
            return bytes;
        }

        private Path anyPath() {
            return root.resolve(NAMES.get(random.nextInt(NAMES.size())));
        }

        List<String> contents() throws IOException {
            try (Stream<Path> all = Files.walk(root)) {
                List<String> contents = new ArrayList<>();
                for (Path path : all.sorted().toList()) {
                    String content = Files.isDirectory(path) ? "/" : new String(Files.readAllBytes(path), US_ASCII);
                    contents.add(root.relativize(path) + " " + content);
                }
                return contents;
            }
        }

        @Override
        public void close() throws IOException {
            for (FileChannel channel : channels) {
                channel.close();
            }
        }
    }
}
