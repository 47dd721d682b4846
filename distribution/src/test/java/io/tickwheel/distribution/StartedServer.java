package io.tickwheel.distribution;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code bin/tickwheel dev} of an archive, as a process of its own. */
final class StartedServer implements AutoCloseable {

    private static final Pattern READY = Pattern.compile("API +http://127\\.0\\.0\\.1:(\\d+)/v1");
    private static final int POLLS = 6_000;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Process process;
    private final Path printed;
    private final int port;

    StartedServer(Archive archive, Path folder) throws IOException {
        printed = folder.resolve("printed.txt");
        process = new ProcessBuilder(
                        archive.file("bin/tickwheel").toString(),
                        "dev",
                        "--port",
                        "0",
                        "--data",
                        folder.resolve("data").toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        Matcher ready = READY.matcher(awaitPrinted(text -> READY.matcher(text).find()));
        if (!ready.find()) {
            process.destroyForcibly();
            throw new AssertionError("it is not ready: " + Files.readString(printed));
        }
        port = Integer.parseInt(ready.group(1));
    }

    /** Waits until it has printed what is wanted, and returns all of it. */
    String awaitPrinted(Predicate<String> wanted) throws IOException {
        String text = Files.readString(printed);
        for (int i = 0; i < POLLS && process.isAlive() && !wanted.test(text); i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            text = Files.readString(printed);
        }
        return text;
    }

    /** Asks until the answer is as wanted, and returns the last one. */
    String await(String path, Predicate<String> wanted) {
        String body = send("GET", path, "").body();
        for (int i = 0; i < POLLS && !wanted.test(body); i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            body = send("GET", path, "").body();
        }
        return body;
    }

    HttpResponse<String> send(String method, String path, String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(
                        method,
                        json.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(json));
        if (!json.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    int port() {
        return port;
    }

    /** Tells it to end, as an operator does, and returns its exit code. */
    int stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(1, TimeUnit.MINUTES)) {
            throw new AssertionError("it does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
