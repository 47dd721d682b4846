package io.tickwheel.server;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A local receiver of callbacks that keeps what comes and answers as it was told. */
public final class Receiver implements AutoCloseable {

    /** What to answer: status, and headers as name and value in turn. */
    public record Answer(int status, String... headers) {}

    public record Arrival(String method, String uri, Map<String, String> headers, String body, Instant arrived) {}

    private final HttpServer server;
    private final BlockingQueue<Arrival> callbacks = new LinkedBlockingQueue<>();
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private volatile String answerBody = "";

    public Receiver() {
        this(InetAddress.getLoopbackAddress());
    }

    public Receiver(InetAddress address) {
        try {
            server = HttpServer.create(new InetSocketAddress(address, 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            Instant arrived = Instant.now();
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, String.join("|", values)));
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Answer answer = answers.poll();
            if (answer != null) {
                for (int i = 0; i < answer.headers().length; i += 2) {
                    exchange.getResponseHeaders().add(answer.headers()[i], answer.headers()[i + 1]);
                }
            }
            callbacks.add(new Arrival(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body, arrived));
            byte[] said = answerBody.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer == null ? 200 : answer.status(), said.length == 0 ? -1 : said.length);
            exchange.getResponseBody().write(said);
            exchange.close();
        });
        server.start();
    }

    /** What every answer from now on has as its body. */
    public void willSay(String body) {
        answerBody = body;
    }

    /** The answers to the next callbacks, in order; then it is 200. */
    public void willAnswer(Answer... next) {
        answers.addAll(List.of(next));
    }

    public String url(String path) {
        String host = server.getAddress().getAddress() instanceof Inet6Address ? "[::1]" : "127.0.0.1";
        return "http://" + host + ":" + server.getAddress().getPort() + path;
    }

    public Arrival next() throws InterruptedException {
        Arrival callback = callbacks.poll(30, TimeUnit.SECONDS);
        if (callback == null) {
            throw new AssertionError("no callback came");
        }
        return callback;
    }

    public int waiting() {
        return callbacks.size();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
