package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tickwheel.engine.RetryPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WebhooksTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private record Answer(int status, String retryAfter) {}

    private final Timeline time = new Timeline();
    private final Webhooks webhooks = new Webhooks(
            time.timers(),
            HttpClient.newHttpClient(),
            time.clock(),
            RetryPolicy.exponential(3, SECOND).withJitter(0));
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Set<String> ids = ConcurrentHashMap.newKeySet();
    private HttpServer receiver;
    private URI address;

    @BeforeEach
    void startReceiver() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", call -> {
            String body = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Answer answer = answers.isEmpty() ? new Answer(204, "") : answers.remove();
            ids.add(call.getRequestHeaders().getFirst("webhook-id"));
            time.note(body + " " + answer.status());
            if (!answer.retryAfter().isEmpty()) {
                call.getResponseHeaders().add("Retry-After", answer.retryAfter());
            }
            call.sendResponseHeaders(answer.status(), -1);
            call.close();
        });
        receiver.start();
        address = URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/");
    }

    @AfterEach
    void stopReceiver() {
        receiver.stop(0);
    }

    @Test
    void receiverThatIsBusyFiveTimesSaysWhenToComeAgainAndThenTakesIt() {
        for (int busy = 0; busy < 5; busy++) {
            answers.add(new Answer(503, "7"));
        }
        time.answer(webhooks.send("w", address, "hello"));
        assertThat(time.after(Duration.ZERO)).containsExactly("hello 503");
        for (int busy = 1; busy <= 5; busy++) {
            assertThat(time.after(Duration.ofSeconds(7).minus(MOMENT))).isEmpty();
            assertThat(time.after(MOMENT)).containsExactly(busy < 5 ? "hello 503" : "hello 204");
        }
        assertThat(time.after(Duration.ofDays(2))).isEmpty();
        assertThat(ids).as("the id of all attempts").hasSize(1);
        assertThat(time.answer(webhooks.dead())).isEmpty();
    }

    @Test
    void retryAfterMayBeADate() {
        answers.add(new Answer(
                429,
                DateTimeFormatter.RFC_1123_DATE_TIME.format(
                        time.clock().now().plusSeconds(90).atZone(ZoneOffset.UTC))));
        time.answer(webhooks.send("w", address, "hello"));
        assertThat(time.after(Duration.ofSeconds(90).minus(MOMENT))).containsExactly("hello 429");
        assertThat(time.after(MOMENT)).containsExactly("hello 204");
    }

    @Test
    void webhookIsDeadAfterThreeFailuresAndSentAgainOnRequest() {
        for (int failure = 0; failure < 3; failure++) {
            answers.add(new Answer(500, ""));
        }
        time.answer(webhooks.send("w", address, "hello"));
        assertThat(time.after(SECOND.minus(MOMENT))).containsExactly("hello 500");
        assertThat(time.after(MOMENT)).containsExactly("hello 500");
        assertThat(time.after(SECOND.multipliedBy(2).minus(MOMENT))).isEmpty();
        assertThat(time.after(MOMENT)).containsExactly("hello 500");
        assertThat(time.after(Duration.ofDays(2))).isEmpty();
        assertThat(time.answer(webhooks.dead())).singleElement().satisfies(dead -> {
            assertThat(dead.key().key()).isEqualTo("w");
            assertThat(dead.history())
                    .last()
                    .satisfies(attempt -> assertThat(attempt.reason()).contains("answered 500"));
        });
        assertThat(time.answer(webhooks.redrive("w"))).isTrue();
        assertThat(time.after(Duration.ZERO)).containsExactly("hello 204");
        assertThat(time.answer(webhooks.dead())).isEmpty();
        assertThat(time.answer(webhooks.redrive("w"))).isFalse();
        assertThat(ids).hasSize(1);
    }

    @Test
    void receiverThatIsGoneOrPutsItOffForTooLongIsNotAskedAgain() {
        Set<String> reasons = new HashSet<>();
        answers.add(new Answer(410, ""));
        time.answer(webhooks.send("gone", address, "gone"));
        assertThat(time.after(Duration.ZERO)).containsExactly("gone 410");
        answers.add(new Answer(503, "86401"));
        time.answer(webhooks.send("later", address, "later"));
        assertThat(time.after(Duration.ofDays(3))).containsExactly("later 503");
        time.answer(webhooks.dead())
                .forEach(dead -> reasons.add(dead.history().get(0).reason()));
        assertThat(reasons)
                .containsExactlyInAnyOrder(
                        "the receiver is gone", "the receiver has put it off until 2030-01-02T00:00:01Z");
    }

    @Test
    void retryAfterThatIsNoTimeIsAFailureAsAnyOther() {
        answers.add(new Answer(503, "soon"));
        time.answer(webhooks.send("w", address, "hello"));
        assertThat(time.after(SECOND.minus(MOMENT))).containsExactly("hello 503");
        assertThat(time.after(MOMENT)).containsExactly("hello 204");
    }

    @Test
    void webhookThatIsSentTwiceArrivesOnce() {
        time.answer(webhooks.send("w", address, "hello"));
        assertThat(time.after(SECOND)).containsExactly("hello 204");
        time.answer(webhooks.send("w", address, "hello"));
        assertThat(time.after(SECOND)).isEmpty();
    }
}
