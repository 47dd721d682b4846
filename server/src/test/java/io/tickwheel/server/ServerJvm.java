package io.tickwheel.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a JVM of its own with the classes of the server. Most end before it pays to compile well or to verify bytecode. */
public final class ServerJvm {

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
}
