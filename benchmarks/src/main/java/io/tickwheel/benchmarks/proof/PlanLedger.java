package io.tickwheel.benchmarks.proof;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tickwheel.benchmarks.Loopback;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A receiver of callbacks of plans, which answers as late as their kind says, and notes each. Thread-safe. */
final class PlanLedger implements AutoCloseable {

    /** A callback, from its arrival to its answer. */
    record Visit(String id, long dueMs, int attempt, long fromMs, long toMs) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, List<Visit>> byPlan = new TreeMap<>();
    private long arrivals;

    PlanLedger() throws IOException {
        // Else each answer waits for the acknowledgement of its head.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        server = HttpServer.create(Loopback.port(0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::visit);
        server.start();
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private void visit(HttpExchange exchange) throws IOException {
        long fromMs = System.currentTimeMillis();
        String plan = header(exchange, "Tickwheel-Key");
        synchronized (this) {
            arrivals++;
            notifyAll();
        }
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            Thread.sleep(PlanKind.of(plan).answersAfter().toMillis());
            // Noted before it is answered: what a server knows of has happened.
            note(plan, exchange, fromMs);
            exchange.sendResponseHeaders(200, -1);
        } catch (InterruptedException e) {
            // The receiver closes: the run is neither noted nor answered, so it is delivered again.
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void note(String plan, HttpExchange exchange, long fromMs) {
        byPlan.computeIfAbsent(plan, absent -> new ArrayList<>())
                .add(new Visit(
                        header(exchange, "webhook-id"),
                        Instant.parse(header(exchange, "Tickwheel-Due-At")).toEpochMilli(),
                        Integer.parseInt(header(exchange, "Tickwheel-Attempt")),
                        fromMs,
                        System.currentTimeMillis()));
    }

    private static String header(HttpExchange exchange, String name) {
        return exchange.getRequestHeaders().getFirst(name);
    }

    /** Waits for the next callback, so long at most. */
    synchronized void awaitArrival(long mostMs) throws InterruptedException {
        long before = arrivals;
        long endMs = System.currentTimeMillis() + mostMs;
        while (arrivals == before && System.currentTimeMillis() < endMs) {
            wait(Math.max(1, endMs - System.currentTimeMillis()));
        }
    }

    synchronized List<Visit> visits(String plan) {
        return List.copyOf(byPlan.getOrDefault(plan, List.of()));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
