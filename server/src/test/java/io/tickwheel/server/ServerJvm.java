package io.tickwheel.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The command line of a JVM of its own with the classes of the server. Most end before it pays to compile well or to verify bytecode. */
public final class ServerJvm {

    /** A line, and from five seconds on where it was. */
    private static final Pattern STALL =
            Pattern.compile("(?m)^.* BlockedThreadChecker - .*\\R(?:\\S+VertxException: .*\\R)?(?:\\s+at .*\\R)*");

    private ServerJvm() {}

    /**
     * One on the class path of the tests.
     *
     * @param options of the JVM, behind which a class and its arguments may follow
     */
    public static List<String> command(String... options) {
        return withClassPath(System.getProperty("java.class.path"), options);
    }

    static List<String> withClassPath(String classPath, String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-cp",
                classPath));
        command.addAll(List.of(options));
        return command;
    }

    /** What a server has printed, but for what Vert.x says of a machine that is slow. */
    static String withoutStalls(String printed) {
        return STALL.matcher(printed).replaceAll("");
    }
}
