package io.tickwheel.docs;

import io.tickwheel.server.cli.TickwheelCommand;
import io.tickwheel.server.targets.InstalledTargets;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code tickwheel dev} in a process of its own, and what readers do to it. */
final class LiveServer implements AutoCloseable {

    private static final Pattern READY = Pattern.compile("API +http://127\\.0\\.0\\.1:(\\d+)/v1");
    private static final int POLLS = 3_000;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process process;
    private final Path printed;
    private final int port;

    LiveServer(Path folder) throws IOException {
        printed = folder.resolve("server.txt");
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.tickwheel.server.Main",
                        "dev",
                        "--port",
                        "0",
                        "--data",
                        folder.resolve("data").toString())
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        port = waitForPort();
    }

    /** Sends a request to a path of the API. */
    Answer send(String method, String path, List<String> headers, String body) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        for (String header : headers) {
            String[] parts = header.split(": *", 2);
            request.header(parts[0], parts[1]);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Runs a command of the command line against it, and gives the exit code. */
    int command(List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--server", "http://127.0.0.1:" + port));
        return TickwheelCommand.execute(
                all.toArray(String[]::new), InstalledTargets.kinds(), () -> 7, (config, ready) -> {
                    throw new IllegalStateException("no other server is to be started");
                });
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private int waitForPort() throws IOException {
        for (int i = 0; i < POLLS && process.isAlive(); i++) {
            Matcher ready = READY.matcher(Files.readString(printed));
            if (ready.find()) {
                return Integer.parseInt(ready.group(1));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        process.destroyForcibly();
        throw new AssertionError("the server is not ready: " + Files.readString(printed));
    }

    /** What the server has answered. */
    record Answer(int status, String body) {

        boolean isGood() {
            return status / 100 == 2;
        }
    }
}
