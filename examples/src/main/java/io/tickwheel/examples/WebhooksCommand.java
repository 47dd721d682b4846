package io.tickwheel.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Two receivers on loopback: one that is busy five times and then takes what comes, and one that is broken until it is repaired. */
final class WebhooksCommand {

    private static final RetryPolicy RETRY = RetryPolicy.exponential(3, Duration.ofMillis(500));
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);
    private static final int WEBHOOKS = 2;
    private static final int BUSY = 5;
    private static final int NO_BODY = -1;
    private static final int TAKEN = 204;
    private static final int BROKEN = 500;
    private static final int UNAVAILABLE = 503;

    private final Stage stage;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicBoolean isRepaired = new AtomicBoolean();

    private WebhooksCommand(Stage stage) {
        this.stage = stage;
    }

    static void run(Stage stage, Tickwheel timers) throws IOException, InterruptedException {
        new WebhooksCommand(stage).run(timers);
    }

    private void run(Tickwheel timers) throws IOException, InterruptedException {
        HttpServer receivers = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receivers.createContext("/busy", this::busy);
        receivers.createContext("/broken", this::broken);
        receivers.start();
        try {
            URI here = URI.create("http://127.0.0.1:" + receivers.getAddress().getPort());
            Webhooks webhooks = new Webhooks(timers, HttpClient.newHttpClient(), Clock.system(), RETRY);
            Tickwheel.await(webhooks.send("order-1-paid", here.resolve("/busy"), "order-1 is paid"));
            Tickwheel.await(webhooks.send("order-2-paid", here.resolve("/broken"), "order-2 is paid"));
            stage.say("two webhooks are on their way");
            redriveTheDead(webhooks);
            stage.awaitEnd();
        } finally {
            receivers.stop(0);
        }
    }

    private void redriveTheDead(Webhooks webhooks) throws InterruptedException {
        while (Tickwheel.await(webhooks.dead()).isEmpty() && !stage.awaitEnd(BETWEEN_LOOKS)) {
            // Another look follows.
        }
        stage.say("order-2-paid is dead; its receiver is repaired, and it is sent again");
        isRepaired.set(true);
        Tickwheel.await(webhooks.redrive("order-2-paid"));
    }

    private void busy(HttpExchange call) throws IOException {
        boolean isBusy = calls.incrementAndGet() <= BUSY;
        if (isBusy) {
            call.getResponseHeaders().add("Retry-After", "1");
        }
        answer(call, isBusy ? UNAVAILABLE : TAKEN);
    }

    private void broken(HttpExchange call) throws IOException {
        answer(call, isRepaired.get() ? TAKEN : BROKEN);
    }

    private void answer(HttpExchange call, int status) throws IOException {
        String body = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        stage.say("'" + body + "' comes, and the answer is " + status);
        call.sendResponseHeaders(status, NO_BODY);
        call.close();
        if (status == TAKEN && taken.incrementAndGet() == WEBHOOKS) {
            stage.end();
        }
    }
}
