package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class RetryFieldsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static RetryPolicy read(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return RetryFields.read(parser);
        }
    }

    private static String write(RetryPolicy policy) {
        JsonOut out = new JsonOut(64);
        RetryFields.write(out, policy);
        return out.toBuffer().toString();
    }

    @Test
    void eachKindOfPolicyIsRead() throws IOException {
        assertThat(read("{}")).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(read("{\"maxAttempts\":3,\"backoff\":\"250ms\"}"))
                .isEqualTo(RetryPolicy.exponential(3, Duration.ofMillis(250)));
        assertThat(read("{\"interval\":\"15s\",\"maxAttempts\":5}"))
                .isEqualTo(RetryPolicy.fixed(5, Duration.ofSeconds(15)));
        assertThat(read("{\"delays\":[\"1s\",\"5s\",\"30s\"]}"))
                .isEqualTo(RetryPolicy.listed(SECOND, Duration.ofSeconds(5), Duration.ofSeconds(30)));
        assertThat(read("{\"backoff\":\"1s\",\"maxBackoff\":\"10s\",\"factor\":3.5,\"jitter\":1}"))
                .isEqualTo(new RetryPolicy(16, List.of(SECOND), 3.5, Duration.ofSeconds(10), 1));
        assertThat(read("{\"delays\":[\"1s\",\"2h\"],\"factor\":2}"))
                .isEqualTo(new RetryPolicy(3, List.of(SECOND, Duration.ofHours(2)), 2, Duration.ofHours(2), 0));
        assertThat(read("{\"delays\":[\"1s\"],\"factor\":2,\"maxAttempts\":9}"))
                .isEqualTo(new RetryPolicy(9, List.of(SECOND), 2, RetryPolicy.MAX_BACKOFF, 0));
    }

    static Stream<RetryPolicy> policies() {
        RetryPolicy plain = RetryPolicy.exponential(3, SECOND);
        Duration day = Duration.ofDays(1);
        return Stream.of(
                plain,
                plain.withJitter(0),
                plain.withMaxBackoff(SECOND),
                plain.withMaxBackoff(day),
                RetryPolicy.exponential(1, day),
                RetryPolicy.fixed(1_000, day),
                RetryPolicy.fixed(2, Duration.ofMillis(1)).withJitter(0.5),
                RetryPolicy.fixed(2, SECOND).withMaxBackoff(day),
                RetryPolicy.listed(SECOND),
                RetryPolicy.listed(SECOND, day, SECOND).withJitter(0.01).withMaxAttempts(100),
                new RetryPolicy(7, List.of(SECOND, SECOND), 1.25, day, 1),
                new RetryPolicy(7, List.of(SECOND, day), 10, day, 0),
                new RetryPolicy(7, List.of(SECOND), 1.5, SECOND, 0.3));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void whatIsWrittenIsReadAsTheSame(RetryPolicy policy) throws IOException {
        assertThat(read(write(policy))).isEqualTo(policy);
    }

    /** As a program may have them. */
    @Test
    void delaysBehindTheLastAttemptAreNotWritten() throws IOException {
        RetryPolicy three = RetryPolicy.listed(SECOND, Duration.ofSeconds(5), Duration.ofSeconds(30));
        assertThat(write(three.withMaxAttempts(3)))
                .isEqualTo("{\"maxAttempts\":3,\"delays\":[\"1000ms\",\"5000ms\"],\"maxBackoff\":\"30000ms\"}");
        for (int attempts = 1; attempts <= 5; attempts++) {
            RetryPolicy policy = three.withMaxAttempts(attempts);
            RetryPolicy read = read(write(policy));
            assertThat(read.maxAttempts()).isEqualTo(attempts);
            for (int failed = 1; failed < attempts; failed++) {
                assertThat(read.delayMs(failed, 7)).as("%s", policy).isEqualTo(policy.delayMs(failed, 7));
            }
            assertThat(read(write(read))).isEqualTo(read);
        }
    }

    @Test
    void onlyWhatIsNotUsualIsWritten() {
        assertThat(write(RetryPolicy.DEFAULT)).isEqualTo("{\"maxAttempts\":16,\"backoff\":\"1000ms\"}");
        assertThat(write(RetryPolicy.fixed(5, SECOND))).isEqualTo("{\"maxAttempts\":5,\"interval\":\"1000ms\"}");
        assertThat(write(RetryPolicy.listed(SECOND, SECOND)))
                .isEqualTo("{\"maxAttempts\":3,\"delays\":[\"1000ms\",\"1000ms\"]}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"backoff":"1s","interval":"1s"}          | retry has 2 of backoff, interval and delays, must have one
            {"interval":"1s","factor":2}              | must have neither factor nor maxBackoff
            {"interval":"1s","maxBackoff":"2s"}       | must have neither factor nor maxBackoff
            {"backoff":"10s","maxBackoff":"9s"}       | maxBackoff is PT9S, must be PT10S to PT720H
            {"backoff":"31d"}                         | retry.backoff is PT744H, must be 1 ms to PT720H
            {"delays":[]}                             | retry.delays has 0 delays, must have 1 to 100
            {"delays":["1s",5]}                       | retry.delays[1] is a number, must be a string
            {"delays":"1s"}                           | retry.delays is a string, must be an array
            {"delays":["0s"]}                         | retry.delays[0] is PT0S, must be 1 ms to
            {"factor":0.5}                            | retry.factor is 0.5, must be 1.0 to 10.0
            {"jitter":-1}                             | retry.jitter is -1, must be 0.0 to 1.0
            {"jitter":"0.1"}                          | retry.jitter is a string, must be a number
            {"maxAttempts":1.5}                       | retry.maxAttempts is a number, must be an integer
            {"delays":["1s"],"maxAttempts":1}         | retry has 1 delays and maxAttempts 1, must have more attempts than delays
            {"maxAttempts":2,"delays":["1s","2s"]}    | retry has 2 delays and maxAttempts 2, must have more attempts than delays
            {"maxAttempts":1001}                      | retry.maxAttempts is 1001, must be 1 to 1000
            {"delay":"1s"}                            | field "retry.delay" is not known
            [1]                                       | retry is an array, must be an object
            """)
    void whatBreaksARuleIsRefusedByNameAndRule(String json, String rule) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().detail()).contains(rule));
    }
}
