package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callbacks of a queue that asks for CloudEvents, by the HTTP binding of CloudEvents 1.0 in binary mode. */
final class CloudEventsTest {

    @TempDir
    private Path directory;

    private RunningServer server;
    private Receiver receiver;

    @BeforeEach
    void start() {
        server = new RunningServer(directory);
        receiver = new Receiver();
    }

    @AfterEach
    void stop() {
        server.close();
        receiver.close();
    }

    private void set(String queue, String more) {
        Reply reply = server.send(
                "PUT",
                "/v1/queues/" + queue,
                RunningServer.JSON,
                "{\"target\":{\"url\":\"" + receiver.url("/") + "\"}" + more + "}");
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    }

    private static Map<String, String> attributes(Receiver.Arrival arrival) {
        return arrival.headers().entrySet().stream()
                .filter(header -> header.getKey().regionMatches(true, 0, "ce-", 0, 3))
                .collect(Collectors.toMap(
                        header -> header.getKey().toLowerCase(Locale.ROOT).substring(3), Map.Entry::getValue));
    }

    @Test
    void callbackOfAQueueThatAsksHasTheAttributes() throws InterruptedException {
        set("orders", ",\"cloudEvents\":true");
        Reply made = server.put("orders", "k", "{\"delay\":\"0s\",\"payload\":{\"id\":42}}");
        Receiver.Arrival event = receiver.next();
        assertThat(attributes(event))
                .containsOnly(
                        Map.entry("specversion", "1.0"),
                        Map.entry("id", made.field("id")),
                        Map.entry("source", "/tickwheel/queues/orders"),
                        Map.entry("type", "io.tickwheel.timer"),
                        Map.entry("subject", "k"),
                        Map.entry("time", made.field("dueAt")));
        assertThat(event.headers()).containsEntry("Content-Type", "application/json");
        assertThat(event.body()).isEqualTo("{\"id\":42}");
    }

    @Test
    void callbackOfAnyOtherQueueHasNone() throws InterruptedException {
        set("orders", "");
        server.put("orders", "k", "{\"delay\":\"0s\"}");
        assertThat(attributes(receiver.next())).isEmpty();
        set("orders", ",\"cloudEvents\":true");
        server.put("orders", "k", "{\"delay\":\"0s\"}");
        assertThat(attributes(receiver.next())).isNotEmpty();
        set("orders", ",\"cloudEvents\":false");
        server.put("orders", "k", "{\"delay\":\"0s\"}");
        assertThat(attributes(receiver.next())).isEmpty();
    }

    @Test
    void senderNamesTheTypeOfItsEvents() throws InterruptedException {
        set("orders", ",\"cloudEvents\":true");
        server.put("orders", "k", "{\"delay\":\"0s\",\"headers\":{\"Ce-Type\":\"shop.order.expired\"}}");
        assertThat(attributes(receiver.next()))
                .containsEntry("type", "shop.order.expired")
                .containsEntry("specversion", "1.0");
    }

    /** As section 3.1.3.2 of the binding has it: blanks, quotation marks, percent signs and what is not visible ASCII. */
    @Test
    void whatAHeaderCannotHaveIsPercentEncoded() throws InterruptedException {
        set("orders", ",\"cloudEvents\":true");
        String key = "a \"b\" 100% \u20ac \ud83d\ude00 ~";
        String path = "a%20%22b%22%20100%25%20%E2%82%AC%20%F0%9F%98%80%20~";
        assertThat(server.put("orders", path, "{\"delay\":\"0s\"}").status()).isEqualTo(201);
        String subject = attributes(receiver.next()).get("subject");
        assertThat(subject).isEqualTo(path);
        assertThat(URLDecoder.decode(subject, StandardCharsets.UTF_8)).isEqualTo(key);
    }

    @Test
    void optionIsKeptAndShown() {
        set("orders", ",\"cloudEvents\":true");
        server.close();
        server = new RunningServer(directory);
        assertThat(server.get("/v1/queues/orders").body())
                .contains("\"effective\":{")
                .contains("\"cloudEvents\":true");
        Reply refused = server.send("PATCH", "/v1/queues/orders", RunningServer.JSON, "{\"cloudEvents\":\"yes\"}");
        assertThat(refused.field("code")).isEqualTo("wrong_type");
    }
}
