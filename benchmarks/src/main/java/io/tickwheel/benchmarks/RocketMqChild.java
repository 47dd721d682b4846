package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.redis.testkit.LoopbackPorts;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.apache.rocketmq.store.config.FlushDiskType;

/** The JVM in which RocketMQ and its load run, with RocketMQ's own class path. */
final class RocketMqChild {

    private RocketMqChild() {}

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(Arrays.asList(arguments));
        PeerLoad load = PeerLoad.of(options);
        int status = 1;
        try {
            FlushDiskType flush = FlushDiskType.valueOf(options.text("flush", ""));
            load.run(new RocketMqPeer(Path.of(options.text("directory", "")), flush), ChildFigures::print);
            status = 0;
        } catch (Exception | Error e) {
            // A class that is missing is an error, and would end nothing but this thread.
            ChildFigures.failed(e);
        } finally {
            // Its shutdown waits for much, and its threads for ever; and the directory is not used again.
            Runtime.getRuntime().halt(status);
        }
    }

    /** RocketMQ's class path, when the script that starts programs has found it. */
    static Optional<String> classPath() throws Exception {
        Path file = Path.of(System.getProperty("tickwheel.benchmarks.rocketmq", ""));
        return Files.isRegularFile(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    }

    static Map<String, Double> run(String classPath, Path directory, String flush, PeerLoad load) throws Exception {
        String whole = String.join(
                ":", placeOf(RocketMqChild.class), placeOf(LoopbackPorts.class), placeOf(Histogram.class), classPath);
        List<String> arguments = new ArrayList<>(load.arguments());
        arguments.addAll(List.of("--directory", directory.toAbsolutePath().toString(), "--flush", flush));
        // It writes its own logs below the home of the user.
        String options =
                "-Xmx2g --add-opens=java.base/java.nio=ALL-UNNAMED --add-exports=java.base/sun.nio.ch=ALL-UNNAMED"
                        + " -Duser.home=" + directory.toAbsolutePath();
        try (PrintWriter output =
                new PrintWriter(directory.resolveSibling("rocketmq.out").toFile(), UTF_8)) {
            return ChildJvm.run(options, whole, RocketMqChild.class, arguments, output::println);
        }
    }

    private static String placeOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }
}
