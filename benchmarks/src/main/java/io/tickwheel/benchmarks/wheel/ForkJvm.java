package io.tickwheel.benchmarks.wheel;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.benchmarks.ChildFigures;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JDK that measurements are forked on. All get the same options, but for heap and collector, which a case chooses. */
record ForkJvm(Path home, int feature) {

    // Threads that come and go would take with them what they used.
    private static final List<String> ALWAYS =
            List.of("-XX:-UseDynamicNumberOfGCThreads", "-XX:-UseDynamicNumberOfCompilerThreads");
    private static final String FEATURE = "java.specification.version = ";
    private static final int UNSAFE_WARNS = 23;

    static ForkJvm at(String home) throws IOException {
        Path path = Path.of(home);
        Process process = new ProcessBuilder(
                        path.resolve("bin/java").toString(), "-XshowSettings:properties", "-version")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            int feature = lines.lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith(FEATURE))
                    .map(line -> Integer.valueOf(line.substring(FEATURE.length())))
                    .findFirst()
                    .orElseThrow(() -> new IOException("there is no JDK at " + home));
            return new ForkJvm(path, feature);
        }
    }

    /** Starts a measurement. Its figures are what {@link ChildFigures#of} returns when it has ended. */
    Process start(List<String> jvmOptions, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin/java").toString());
        command.addAll(ALWAYS);
        if (feature >= UNSAFE_WARNS) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Fork.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "kill-fork"));
        return process;
    }
}
