package io.tickwheel.redis.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A program that is a Redis server, or one that behaves like it. Two are part of this module, for Linux on amd64 and
 * arm64; one more can be named by the system property {@value #PROPERTY}. Thread-safe.
 */
public final class RedisBinary {

    /** The system property with the path of another server's program, such as Valkey's. */
    public static final String PROPERTY = "tickwheel.redis.server";

    private static final RedisBinary REDIS_7 =
            new RedisBinary("7.0", "redis-server-7.0.15-linux-amd64", "redis-server-7.0.15-linux-arm64");
    private static final RedisBinary REDIS_62 =
            new RedisBinary("6.2", "redis-server-6.2.6-v5-linux-amd64", "redis-server-6.2.7-linux-arm64");

    private static final Pattern BANNER = Pattern.compile("server v=(\\S+)");
    private static final Duration BANNER_LIMIT = Duration.ofSeconds(20);

    private final String name;
    private final @Nullable String resource;
    private @Nullable Path path;
    private @Nullable String version;

    private RedisBinary(String release, String amd64, String arm64) {
        name = "Redis " + release;
        resource = switch (System.getProperty("os.name") + " " + System.getProperty("os.arch")) {
            case "Linux amd64" -> "redis/" + release + "/" + amd64;
            case "Linux aarch64" -> "redis/" + release + "/" + arm64;
            default -> null;
        };
    }

    private RedisBinary(Path path) {
        name = path.toString();
        resource = null;
        this.path = path;
    }

    /** Redis 7.0.15, linked statically: it runs wherever its architecture does. */
    public static RedisBinary redis7() {
        return REDIS_7;
    }

    /**
     * Redis 6.2: 6.2.11 on amd64, which is usable only where OpenSSL 3 is installed, and 6.2.7 on arm64. It is the last
     * line before functions, sharded channels and listpacks everywhere.
     */
    public static RedisBinary redis62() {
        return REDIS_62;
    }

    /**
     * The one that the system property {@value #PROPERTY} names, if it is set.
     *
     * @throws IllegalArgumentException if the property names something else than a program
     */
    public static Optional<RedisBinary> installed() {
        String named = System.getProperty(PROPERTY);
        if (named == null) {
            return Optional.empty();
        }
        if (!Files.isExecutable(Path.of(named)) || Files.isDirectory(Path.of(named))) {
            throw new IllegalArgumentException(PROPERTY + " is " + named + ", must be the path of a program");
        }
        return Optional.of(new RedisBinary(Path.of(named)));
    }

    /** The one that tests run on unless they ask for another: {@link #installed()} if there is one, else Redis 7. */
    public static RedisBinary preferred() {
        return installed().orElse(REDIS_7);
    }

    /** All that this machine can run, for a test that is to hold with each. */
    public static List<RedisBinary> usable() {
        return Stream.concat(Stream.of(REDIS_7, REDIS_62), installed().stream())
                .filter(RedisBinary::isUsable)
                .toList();
    }

    /** Whether this machine can run it. */
    public boolean isUsable() {
        return (resource != null || path != null) && !version().isEmpty();
    }

    /** What the program says it is, such as {@code 7.0.15}; empty if this machine cannot run it. */
    public synchronized String version() {
        if (version == null) {
            version = askVersion();
        }
        return version;
    }

    /**
     * Where the program lies; one of this module is unpacked first, once in a JVM.
     *
     * @throws IllegalStateException if this module has none for this kind of machine
     */
    public synchronized Path path() {
        if (path == null) {
            path = unpack();
        }
        return path;
    }

    private Path unpack() {
        if (resource == null) {
            throw new IllegalStateException("there is no program of " + name + " for " + System.getProperty("os.name")
                    + " on " + System.getProperty("os.arch"));
        }
        try (InputStream content = RedisBinary.class.getResourceAsStream(resource)) {
            if (content == null) {
                throw new IllegalStateException("the build has not unpacked " + resource);
            }
            Path program = Files.createTempFile("redis-server-", "", OwnerOnly.ATTRIBUTE);
            program.toFile().deleteOnExit();
            Files.write(program, content.readAllBytes());
            return program;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String askVersion() {
        try {
            Process process = new ProcessBuilder(path().toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String banner = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher matcher = BANNER.matcher(banner);
            return Patience.ended(process, BANNER_LIMIT) && process.exitValue() == 0 && matcher.find()
                    ? matcher.group(1)
                    : "";
        } catch (IOException cannotRun) {
            return "";
        }
    }

    /** Its name and version, for the titles of tests. */
    @Override
    public String toString() {
        return isUsable() ? name + " (" + version() + ")" : name;
    }

    /** Apart, because only a POSIX file system knows these attributes. */
    private static final class OwnerOnly {
        static final FileAttribute<Set<PosixFilePermission>> ATTRIBUTE =
                PosixFilePermissions.asFileAttribute(EnumSet.of(
                        PosixFilePermission.OWNER_READ,
                        PosixFilePermission.OWNER_WRITE,
                        PosixFilePermission.OWNER_EXECUTE));
    }
}
