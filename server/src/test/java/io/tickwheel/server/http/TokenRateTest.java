package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.SteppedClock;
import io.tickwheel.server.config.ServerConfig;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many calls may be made with a token. The rates are so small that nothing comes back while a test runs, but by the clock that it moves. */
final class TokenRateTest {

    private static final String LATER = "{\"dueAt\":\"2100-01-01T00:00:00Z\"}";
    private static final String SLOW = "\"scopes\":[\"admin\"],\"rate\":{\"perSecond\":0.001,\"burst\":3}";

    @TempDir
    private Path directory;

    private final SteppedClock clock = new SteppedClock();
    private Tokened api;

    @BeforeEach
    void start() {
        api = started();
    }

    private Tokened started() {
        return new Tokened(new RunningServer(Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory)), clock));
    }

    @AfterEach
    void stop() {
        api.server().close();
    }

    private void assertOver(Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(429);
        assertThat(reply.body()).contains("\"code\":\"too_many_calls\"", "\"applied\":false");
        assertThat(Integer.parseInt(reply.retryAfter())).isPositive();
    }

    @Test
    void whoHasMadeAsManyCallsAsHeMayIsToldWhenToComeAgain() {
        String slow = api.make(SLOW).text();
        assertThat(api.call(slow, "PUT", "/v1/queues/q/timers/a", LATER).status())
                .isEqualTo(201);
        assertThat(api.call(slow, "GET", "/v1/queues/q/timers/a", null).status())
                .isEqualTo(200);
        assertThat(api.call(slow, "GET", "/v1/queues", null).status()).isEqualTo(200);
        Reply over = api.call(slow, "PUT", "/v1/queues/q/timers/b", LATER);
        assertOver(over);
        assertThat(Integer.parseInt(over.retryAfter())).isBetween(900, 1_000);
        assertOver(api.call(slow, "DELETE", "/v1/queues/q/timers/a", null));
        assertThat(api.admin("GET", "/v1/queues/q/timers/b", null).status()).isEqualTo(404);
        assertThat(api.admin("GET", "/v1/queues/q/timers/a", null).body()).contains("PENDING");

        clock.step(Duration.ofSeconds(Integer.parseInt(over.retryAfter())));
        assertThat(api.call(slow, "PUT", "/v1/queues/q/timers/b", LATER).status())
                .isEqualTo(201);
        assertOver(api.call(slow, "GET", "/v1/queues", null));
    }

    @Test
    void othersAndHealthAreNotHeldUp() {
        String slow = api.make(SLOW).text();
        String other = api.make(SLOW).text();
        for (int i = 0; i < 3; i++) {
            api.call(slow, "GET", "/v1/queues", null);
        }
        assertOver(api.call(slow, "GET", "/v1/queues", null));
        assertThat(api.call(other, "GET", "/v1/queues", null).status()).isEqualTo(200);
        assertThat(api.admin("GET", "/v1/queues", null).status()).isEqualTo(200);
        assertThat(api.call(slow, "GET", "/livez", null).status()).isEqualTo(200);
    }

    @Test
    void eachLineOfABatchCountsAndABatchIsNeverTakenInPart() {
        String slow = api.make(SLOW).text();
        Reply batch = api.call(slow, "POST", "/v1/queues/q/timers:batch", (LATER + "\n").repeat(100));
        assertThat(batch.status()).isEqualTo(200);
        assertThat(batch.body().lines()).hasSize(100).allMatch(line -> line.contains("\"status\":201"));
        Reply over = api.call(slow, "GET", "/v1/queues", null);
        assertOver(over);
        // 98 seconds in thousands: 100 were taken and 3 there, and for a call there must be one.
        assertThat(Integer.parseInt(over.retryAfter())).isBetween(97_900, 98_000);
    }

    @Test
    void eachLeaseOfACallOnSeveralCounts() {
        String slow = api.make(SLOW).text();
        assertThat(api.call(slow, "POST", "/v1/leases:ack", "{\"leases\":[\"a\",\"b\",\"c\"]}")
                        .status())
                .isEqualTo(200);
        assertOver(api.call(slow, "GET", "/v1/queues", null));
    }

    @Test
    void callsThatATokenIsNotForCountToo() {
        String slow = api.make("\"scopes\":[\"read\"],\"rate\":{\"perSecond\":0.001,\"burst\":3}")
                .text();
        for (int i = 0; i < 3; i++) {
            assertThat(api.call(slow, "PUT", "/v1/queues/q/timers/a", LATER).status())
                    .isEqualTo(403);
        }
        assertOver(api.call(slow, "GET", "/v1/queues", null));
    }

    @Test
    void rateIsShownKeptAndStillThereAfterARestart() {
        Reply made =
                api.admin("POST", "/v1/tokens", "{\"name\":\"n\",\"scopes\":[\"read\"],\"rate\":{\"perSecond\":2.5}}");
        assertThat(made.body()).contains("\"rate\":{\"perSecond\":2.5,\"burst\":3}");
        String slow = api.make(SLOW).text();
        api.server().close();
        api = started();
        assertThat(api.admin("GET", "/v1/tokens", null).body())
                .contains("\"rate\":{\"perSecond\":2.5,\"burst\":3}", "\"rate\":{\"perSecond\":0.001,\"burst\":3}");
        for (int i = 0; i < 3; i++) {
            assertThat(api.call(slow, "GET", "/v1/queues", null).status()).isEqualTo(200);
        }
        assertOver(api.call(slow, "GET", "/v1/queues", null));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"perSecond":0}                     | 422 | out_of_range  | rate.perSecond
            {"perSecond":0.0009}                | 422 | out_of_range  | rate.perSecond
            {"perSecond":1000001}               | 422 | out_of_range  | rate.perSecond
            {"perSecond":1e400}                 | 422 | out_of_range  | rate.perSecond
            {"perSecond":"5"}                   | 400 | wrong_type    | rate.perSecond
            {"perSecond":5,"burst":0}           | 422 | out_of_range  | rate.burst
            {"perSecond":5,"burst":1000001}     | 422 | out_of_range  | rate.burst
            {"perSecond":5,"burst":1.5}         | 400 | wrong_type    | rate.burst
            {"burst":5}                         | 400 | field_missing | rate.perSecond
            {"perSecond":5,"perMinute":5}       | 400 | unknown_field | rate.perMinute
            5                                   | 400 | wrong_type    | rate
            """)
    void whatIsNoRateIsRefused(String rate, int status, String code, String field) {
        Reply refused = api.admin("POST", "/v1/tokens", "{\"name\":\"n\",\"scopes\":[\"read\"],\"rate\":" + rate + "}");
        assertThat(refused.status()).as(refused.body()).isEqualTo(status);
        assertThat(refused.field("code")).isEqualTo(code);
        assertThat(refused.field("field")).isEqualTo(field);
        assertThat(api.admin("GET", "/v1/tokens", null).body()).doesNotContain("\"name\":\"n\"");
    }
}
