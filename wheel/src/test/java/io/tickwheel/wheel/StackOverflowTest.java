package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A stack that ends in the middle of a call leaves nothing locked, lost or half done. In processes of their own, as it matters what of the
 * code is compiled: what is not has deeper calls and larger frames. What hangs fails when its guard's time is over.
 */
final class StackOverflowTest {
    private static final List<String> SCENES =
            List.of("timer", "limit", "accepted", "driver", "tasks", "keyed", "executor", "wheel");

    private static final int ROUNDS = Integer.getInteger("tickwheel.stack.rounds", 5);

    static Stream<Arguments> scenesAndJvms() {
        return arguments("-Xint", "-XX:+TieredCompilation");
    }

    static Stream<Arguments> scenesInC1() {
        return arguments("-XX:TieredStopAtLevel=1");
    }

    private static Stream<Arguments> arguments(String... jvms) {
        return SCENES.stream().flatMap(scene -> Stream.of(jvms).map(jvm -> Arguments.of(scene, jvm)));
    }

    @ParameterizedTest
    @MethodSource("scenesAndJvms")
    void everythingGoesOn(String scene, String jvm) throws IOException, InterruptedException {
        run(scene, jvm);
    }

    @ParameterizedTest
    @MethodSource("scenesInC1")
    @Tag("full")
    void everythingGoesOnInCodeThatIsCompiledOnce(String scene, String jvm) throws IOException, InterruptedException {
        run(scene, jvm);
    }

    private static void run(String scene, String jvm) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(jvm, "-Xmx256m", "-XX:+UseSerialGC", "-ea", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(EndOfTheStack.class.getName(), scene, Integer.toString(ROUNDS)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("all got through");
    }
}
