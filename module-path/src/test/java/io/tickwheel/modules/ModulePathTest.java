package io.tickwheel.modules;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every published module on the module path, in a JVM of its own: nothing but {@code --module-path} and {@code -m}. */
final class ModulePathTest {

    private static final Pattern API = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+)/v1");

    @TempDir
    private Path directory;

    @Test
    void programEmbedsEveryModule() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Process process = java(
                    "io.tickwheel.modules/io.tickwheel.modules.ModuleUser",
                    directory.resolve("data").toString(),
                    "redis://127.0.0.1:" + redis.port());
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(printed).isZero();
        }
    }

    @Test
    void serverServesAndEnds() throws Exception {
        Process process = java(
                "io.tickwheel.server/io.tickwheel.server.Main", "dev", "--port", "0", "--data", directory.toString());
        try (BufferedReader printed = process.inputReader()) {
            String url = url(printed);
            try (InputStream answer = URI.create(url + "/livez").toURL().openStream()) {
                assertThat(answer.readAllBytes()).isNotEmpty();
            }
            try (InputStream answer = URI.create(url + "/metrics").toURL().openStream()) {
                assertThat(new String(answer.readAllBytes(), StandardCharsets.UTF_8))
                        .contains("tickwheel_");
            }
            assertThat(process.toHandle().destroy()).isTrue();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String url(BufferedReader printed) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = printed.readLine(); line != null; line = printed.readLine()) {
            lines.add(line);
            Matcher api = API.matcher(line);
            if (api.find()) {
                return api.group(1);
            }
        }
        throw new AssertionError("it has ended, and said " + lines);
    }

    private static Process java(String main, String... arguments) throws IOException {
        String path = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.endsWith("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--module-path", path, "-m", main));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}
