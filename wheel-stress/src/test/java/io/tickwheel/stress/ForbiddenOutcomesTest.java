package io.tickwheel.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs every race for a moment. Another length, or one race: {@code -Dtickwheel.stress="-m default -t CloseStress"}, with
 * the options of jcstress.
 */
class ForbiddenOutcomesTest {
    // One virtual machine for each race, on whatever processor is free: a run for minutes adds the other ways to
    // compile.
    private static final String SHORT =
            "-m sanity -sc false -af NONE -iters 1 -time 50 -strideSize 64 -strideCount 10 -jvmArgs -ea";

    @Tag("full")
    @Test
    void noneIsSeen() throws IOException, InterruptedException {
        Path folder = Files.createDirectories(Path.of("target", "jcstress"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main"));
        command.addAll(List.of(System.getProperty("tickwheel.stress", SHORT).split(" ", -1)));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Files.writeString(folder.resolve("output"), output);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("RUN RESULTS").doesNotContain("FORBIDDEN");
        assertThat(output).containsPattern("All remaining tests: [1-9]");
    }
}
