package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tickwheel.server.RunningServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client in TypeScript, whose types are generated from what a server says at {@code /openapi.json}: it compiles, what it must not say does not, and it schedules
 * and finds a timer. Where Node is not there, or its packages cannot be had, the test is skipped.
 */
@Tag("full")
final class TypeScriptClientTest {

    @TempDir
    private Path folder;

    @TempDir
    private Path store;

    @Test
    void clientThatIsGeneratedCompilesAndWorks() throws Exception {
        assumeTrue(isThere("node") && isThere("npm"), "Node and npm are not installed, so no client is generated");
        copy("package.json");
        copy("client.ts");
        Ended installed = run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund");
        assumeTrue(installed.code() == 0, "npm cannot install the generator: " + installed.said());
        try (RunningServer server = new RunningServer(store)) {
            Files.writeString(
                    folder.resolve("openapi.json"), server.get("/openapi.json").body());
            succeeds("node", "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "-o", "schema.d.ts");
            succeeds(
                    "node",
                    "node_modules/typescript/bin/tsc",
                    "--strict",
                    "--target",
                    "es2022",
                    "--module",
                    "nodenext",
                    "client.ts");
            assertThat(succeeds("node", "client.js", "http://127.0.0.1:" + server.port()))
                    .isEqualToIgnoringWhitespace("PENDING true 30m 30m");
        }
    }

    private void copy(String name) throws IOException {
        try (InputStream in = TypeScriptClientTest.class.getResourceAsStream("typescript/" + name)) {
            Files.copy(in, folder.resolve(name));
        }
    }

    private static boolean isThere(String program) {
        try {
            return new ProcessBuilder(program, "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private record Ended(int code, String said) {}

    private String succeeds(String... command) throws Exception {
        Ended ended = run(command);
        assertThat(ended.code()).as(ended.said()).isZero();
        return ended.said();
    }

    private Ended run(String... command) throws Exception {
        Path said = Files.createTempFile(folder, "said", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        boolean isOver = process.waitFor(5, TimeUnit.MINUTES);
        process.destroyForcibly();
        return new Ended(isOver ? process.exitValue() : -1, Files.readString(said, StandardCharsets.UTF_8));
    }
}
