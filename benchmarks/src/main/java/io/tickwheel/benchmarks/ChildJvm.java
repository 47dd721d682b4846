package io.tickwheel.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs a part of a program in a JVM of its own, because its heap, its crash or its class path belongs to the measurement. */
public final class ChildJvm {

    private ChildJvm() {}

    /** Runs a main class on the class path of this program, and shows what it prints beside its figures. */
    static Map<String, Double> run(String jvmOptions, Class<?> main, List<String> arguments)
            throws IOException, InterruptedException {
        return run(jvmOptions, System.getProperty("java.class.path"), main, arguments, System.out::println);
    }

    /** The same with another class path; {@code others} is told what it prints beside its figures. */
    static Map<String, Double> run(
            String jvmOptions, String classPath, Class<?> main, List<String> arguments, Consumer<String> others)
            throws IOException, InterruptedException {
        Process child = start(jvmOptions, classPath, main, arguments);
        Thread kill = new Thread(child::destroyForcibly, "kill-child");
        Runtime.getRuntime().addShutdownHook(kill);
        try {
            return ChildFigures.of(child, others);
        } finally {
            child.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(kill);
        }
    }

    /** Starts a main class on the class path of this program; who starts it reads what it prints, and ends it. */
    public static Process start(String jvmOptions, Class<?> main, List<String> arguments) throws IOException {
        return start(jvmOptions, System.getProperty("java.class.path"), main, arguments);
    }

    private static Process start(String jvmOptions, String classPath, Class<?> main, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (!jvmOptions.isBlank()) {
            command.addAll(List.of(jvmOptions.strip().split(" +", -1)));
        }
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
