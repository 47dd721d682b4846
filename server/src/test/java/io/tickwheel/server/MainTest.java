package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.targets.HttpTargetKind;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a process of its own: what it prints and how it ends. */
final class MainTest {

    @TempDir
    private Path directory;

    @Test
    void aServerThatIsToldToEndDrainsAndExitsWithZero() throws Exception {
        Process process = start("dev", "--port", "0", "--data", directory.toString());
        try (BufferedReader out = process.inputReader()) {
            List<String> lines = readUntil(out, "Try:");
            assertThat(lines).anyMatch(line -> line.matches(" {2}API {3}http://127\\.0\\.0\\.1:\\d+/v1"));
            assertThat(lines).contains("  data  " + directory.toAbsolutePath().normalize());
            // The process itself would close what it says.
            assertThat(process.toHandle().destroy()).isTrue();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(ServerJvm.withoutStalls(error).lines())
                    .satisfiesExactly(
                            line -> assertThat(line).contains(" INFO  Server - stopping, because of a signal; "),
                            line -> assertThat(line).endsWith(" INFO  Server - drained, no attempt is running"),
                            line -> assertThat(line).endsWith(" INFO  Server - stopped"));
        } finally {
            process.destroyForcibly();
        }
    }

    /** The settings come from a pipe that says nothing, so that the process stands in the middle of its start. */
    @Test
    void aServerThatIsToldToEndBeforeThereIsOneExitsWithZeroToo() throws Exception {
        Path settings = directory.resolve("settings");
        assumeTrue(new File("/usr/bin/mkfifo").exists(), "the system makes no pipes with names");
        assertThat(new ProcessBuilder("/usr/bin/mkfifo", settings.toString())
                        .start()
                        .waitFor())
                .isZero();
        Process process = start("serve", "--config", settings.toString());
        try (OutputStream opened = Files.newOutputStream(settings)) {
            opened.flush();
            assertThat(process.toHandle().destroy()).isTrue();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aPortThatIsTakenAndAStoreThatIsOpenAreOneLineEach() throws Exception {
        try (RunningServer server = new RunningServer(directory.resolve("first"))) {
            Ended port = run(
                    "dev",
                    "--port",
                    "" + server.port(),
                    "--data",
                    directory.resolve("other").toString());
            assertThat(port.code()).isEqualTo(1);
            assertThat(port.error()).containsPattern("^tickwheel: cannot listen on 127.0.0.1:\\d+: .*\n$");
            Ended store = run(
                    "dev", "--port", "0", "--data", directory.resolve("first").toString());
            assertThat(store.code()).isEqualTo(1);
            assertThat(store.error()).containsPattern("^tickwheel: cannot open .*\n$");
            Ended noDirectory = run(
                    "dev",
                    "--port",
                    "0",
                    "--data",
                    Files.createFile(directory.resolve("file")).toString());
            assertThat(noDirectory.code()).isEqualTo(1);
            assertThat(noDirectory.error()).containsPattern("^tickwheel: cannot open .*\n$");
        }
    }

    @Test
    void helpAndVersionArePrinted() throws Exception {
        assertThat(run("--help").output()).contains("Usage: tickwheel", "dev", "serve");
        assertThat(run("--version").output()).matches("tickwheel \\S+\n");
    }

    @Test
    void anExportThatIsCutOffByAFullDiskIsAnError() throws Exception {
        File full = new File("/dev/full");
        assumeTrue(full.exists(), "the system has no disk that is always full");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(directory.resolve("data")))) {
            timers.schedule("q", "k", Duration.ofHours(1)).join();
        }
        Ended export = ended(start(Redirect.to(full), "export", "data"));
        assertThat(export.error())
                .isEqualTo("tickwheel: the standard output cannot be written: No space left on device\n");
        assertThat(export.code()).isEqualTo(74);
        // What is printed by characters, and a code that is not 0 already.
        assertThat(ended(start(Redirect.to(full), "--version")).code()).isEqualTo(74);
        assertThat(ended(start(Redirect.to(full), "dev", "--port", "70000")).code())
                .isEqualTo(2);
    }

    @Test
    void aReaderThatHasGoneIsToldByTheExitCodeAlone() throws Exception {
        ProcessBuilder command = builder(System.getProperty("java.class.path"), List.of("--help"));
        // It prints nothing before it is told to, however slow this machine is.
        command.command().addAll(0, List.of("/bin/sh", "-c", "read -r go; exec \"$@\"", "sh"));
        Process process = command.start();
        process.getInputStream().close();
        try (Writer go = process.outputWriter()) {
            go.write("\n");
            go.flush();
            assertThat(process.errorReader().readLine()).isNull();
            assertThat(process.waitFor()).isEqualTo(74);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Of a reset the system says something else than of a pipe without a reader, and both in the language that it is set to. */
    @Test
    void aReaderThatHasResetTheConnectionIsToldByTheExitCodeAlone() throws Exception {
        assumeTrue(new File("/bin/bash").exists(), "the system has no bash");
        try (ServerSocket reader = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String script = "exec 3>/dev/tcp/127.0.0.1/" + reader.getLocalPort() + "; read -r go; exec \"$@\" >&3";
            ProcessBuilder command = builder(System.getProperty("java.class.path"), List.of("--help"));
            command.command().addAll(0, List.of("/bin/bash", "-c", script, "bash"));
            Process process = command.start();
            try (Socket connection = reader.accept()) {
                connection.setSoLinger(true, 0);
            }
            try (Writer go = process.outputWriter()) {
                go.write("\n");
            }
            try {
                assertThat(process.errorReader().readLine()).isNull();
                assertThat(process.waitFor()).isEqualTo(74);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void wrongArgumentsAreNamed() throws Exception {
        Ended port = run("dev", "--port", "70000");
        assertThat(port.code()).isEqualTo(2);
        assertThat(port.error()).isEqualTo("tickwheel: --port is \"70000\", must be 0 to 65535\n");
    }

    @Test
    void aConfigurationIsServed() throws Exception {
        Path config = directory.resolve("tickwheel.yaml");
        Files.writeString(
                config, "server:\n  port: 0\nstore:\n  file:\n    directory: " + directory.resolve("data") + "\n");
        Process process = start("serve", "--config", config.toString());
        try (BufferedReader error = process.errorReader()) {
            assertThat(readUntil(error, "ready on 127.0.0.1:"))
                    .anyMatch(line -> line.endsWith("callbacks may go to public addresses, ports 80, 443, 8080, 8443"));
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void strangersAreNotServedWithoutTokens() throws Exception {
        Path config = Files.writeString(directory.resolve("public.yaml"), "server: {host: 0.0.0.0, port: 0}\n");
        Ended ended = run("serve", "--config", config.toString());
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.error())
                .startsWith("tickwheel: server.host is 0.0.0.0, ")
                .contains("access.admin", "tls");

        Files.writeString(
                config,
                "server: {host: 0.0.0.0, port: 0}\ninsecure: true\nstore: {file: {directory: '"
                        + directory.resolve("public") + "'}}\n");
        Process process = start("serve", "--config", config.toString());
        try (BufferedReader error = process.errorReader()) {
            readUntil(error, "insecure is true");
            readUntil(error, "ready on 0.0.0.0:");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aTargetThatCannotBeLoadedIsOneLine() throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(TargetKind.class.getName()), "com.example.Gone");
        Ended ended = ended(
                start(System.getProperty("java.class.path") + File.pathSeparator + directory, List.of("--version")));
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.error())
                .containsPattern(
                        "^tickwheel: a kind of target beside the server cannot be loaded: .*com.example.Gone.*\n$");
    }

    /** Two jars of one kind. Nothing was opened, and it is no success all the same. */
    @Test
    void aServerWhoseStartFailsInAWayThatNobodyForesawDoesNotExitWithZero() throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(TargetKind.class.getName()), HttpTargetKind.class.getName());
        Ended ended =
                ended(start(System.getProperty("java.class.path") + File.pathSeparator + directory, List.of("serve")));
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.error()).contains("target kind \"http\", must have a name of its own");
    }

    private static List<String> readUntil(BufferedReader out, String mark) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            lines.add(line);
            if (line.contains(mark)) {
                return lines;
            }
        }
        throw new AssertionError("it ended before it said " + mark + ": " + lines);
    }

    /** A key of others would be scheduled, and a file of others be read. A shell writes the bytes, as they do not pass through the locale of this JVM. */
    @Test
    void anArgumentThatTheLocaleCannotReadIsRefused() throws Exception {
        assumeTrue(new File("/bin/sh").exists(), "the system has no shell");
        for (List<String> arguments :
                List.of(List.of("timers", "show", "q"), List.of("config", "explain", "--config"), List.of("verify"))) {
            List<String> command =
                    new ArrayList<>(List.of("/bin/sh", "-c", "exec \"$@\" \"$(printf 'gr\\303\\274n')\"", "sh"));
            command.addAll(
                    builder(System.getProperty("java.class.path"), arguments).command());
            ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
            builder.environment().put("LC_ALL", "C");

            Ended ended = ended(builder.start());

            assertThat(ended.error())
                    .isEqualTo(
                            "tickwheel: argument " + (arguments.size() + 1) + " cannot be read, must be of characters"
                                    + " of ANSI_X3.4-1968, the encoding of the locale of this process; with LC_ALL=C.UTF-8 it"
                                    + " has all\n");
            assertThat(ended.code()).isEqualTo(2);
        }
    }

    private Ended run(String... arguments) throws Exception {
        return ended(start(arguments));
    }

    private static Ended ended(Process process) throws Exception {
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ended(process.waitFor(), output, ServerJvm.withoutStalls(error));
        } finally {
            process.destroyForcibly();
        }
    }

    private Process start(String... arguments) throws IOException {
        return start(System.getProperty("java.class.path"), List.of(arguments));
    }

    private Process start(Redirect output, String... arguments) throws IOException {
        return builder(System.getProperty("java.class.path"), List.of(arguments))
                .redirectOutput(output)
                .start();
    }

    private Process start(String classPath, List<String> arguments) throws IOException {
        return builder(classPath, arguments).start();
    }

    private ProcessBuilder builder(String classPath, List<String> arguments) {
        List<String> command = ServerJvm.withClassPath(classPath, "io.tickwheel.server.Main");
        command.addAll(arguments);
        return new ProcessBuilder(command).directory(directory.toFile());
    }

    private record Ended(int code, String output, String error) {}
}
