package io.tickwheel.engine.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FailureLogTest {

    private static final long SECOND = 1_000_000_000L;

    private final List<String> lines = new ArrayList<>();
    private final FailureLog log = new FailureLog(
            Map.of("http", new Target() {
                @Override
                public void deliver(Attempt attempt, Delivery delivery) {
                    throw new AssertionError(attempt);
                }

                @Override
                public String route(String address) {
                    return address.substring(0, address.indexOf('/'));
                }
            }),
            line -> lines.add("WARN " + line),
            line -> lines.add("INFO " + line));

    private static Attempt attempt(String key, int number, Destination destination) {
        return new Attempt(
                new TimerKey("q", key),
                "an-id",
                1,
                number,
                Instant.EPOCH,
                Instant.EPOCH,
                Duration.ZERO,
                new byte[0],
                null,
                Map.of(),
                destination);
    }

    private static Destination http(String address) {
        return new Destination("http", address);
    }

    @Test
    void deathIsOneLineWithAllThatIsAskedFor() {
        log.died(attempt("k", 3, http("shop:8080/close?token=secret")), "HTTP 500", 0);
        assertThat(lines)
                .containsExactly(
                        "WARN the timer k of queue q, id an-id, is dead after 3 attempts to http shop:8080: HTTP 500");
    }

    @Test
    void failuresOfADestinationAreToldTogether() {
        for (int i = 0; i < 312; i++) {
            log.failed(attempt("k" + i, 1, http("shop:8080/" + i)), "HTTP " + (i < 311 ? 500 : 503), i);
        }
        log.failed(attempt("other", 1, http("bank/x")), "no connection", 400);
        assertThat(lines).isEmpty();
        assertThat(log.work(10 * SECOND - 1)).isEqualTo(1);
        assertThat(lines).isEmpty();
        assertThat(log.work(10 * SECOND)).isEqualTo(Long.MAX_VALUE);
        assertThat(lines)
                .containsExactly(
                        "INFO http shop:8080: 312 attempts have failed in 10 s, the last: HTTP 503",
                        "INFO http bank: 1 attempt has failed in 10 s, the last: no connection");
    }

    /** The loop writes it, and must go on. */
    @Test
    void targetThatCannotTellItsRouteIsNamedAlone() {
        log.died(attempt("k", 1, http("no-slash")), "x", 0);
        log.died(attempt("l", 1, new Destination("gone", "secret")), "y", 0);
        assertThat(lines)
                .containsExactly(
                        "WARN the timer k of queue q, id an-id, is dead after 1 attempt to http: x",
                        "WARN the timer l of queue q, id an-id, is dead after 1 attempt to gone: y");
    }

    @Test
    void nothingIsSaidWhileNothingFails() {
        assertThat(log.work(77 * SECOND)).isEqualTo(Long.MAX_VALUE);
        log.flush(88 * SECOND);
        assertThat(lines).isEmpty();
        log.failed(attempt("k", 1, http("a/")), "x", 90 * SECOND);
        assertThat(log.work(91 * SECOND))
                .as("ten seconds from the first failure")
                .isEqualTo(9 * SECOND);
        log.flush(91 * SECOND);
        assertThat(lines).containsExactly("INFO http a: 1 attempt has failed in 1 s, the last: x");
        assertThat(log.work(200 * SECOND)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void floodIsCountedAndNotWritten() {
        for (int i = 0; i < 1_000; i++) {
            log.died(attempt("k" + i, 1, http("host" + i + "/")), "x", i);
        }
        assertThat(lines).hasSize(FailureLog.MOST_DEAD).allMatch(line -> line.contains("is dead after 1 attempt to"));
        lines.clear();
        log.flush(10 * SECOND);
        assertThat(lines).hasSize(FailureLog.MOST_DESTINATIONS + 2);
        assertThat(lines.subList(FailureLog.MOST_DESTINATIONS, lines.size()))
                .containsExactly(
                        "INFO other destinations: 980 attempts have failed in 10 s",
                        "WARN 900 timers more have died in 10 s, which are not named here");
        lines.clear();
        log.died(attempt("again", 1, http("a/")), "x", 20 * SECOND);
        assertThat(lines).as("in the next window").hasSize(1);
        lines.clear();
        log.flush(21 * SECOND);
        assertThat(lines)
                .as("of this window alone")
                .containsExactly("INFO http a: 1 attempt has failed in 1 s, the last: x");
    }

    @Test
    void nobodyWritesASecondLineOrALongOne() {
        log.died(attempt("k\nWARN all is well", 1, new Destination("handler", "a\u2028b")), "x".repeat(1_000), 0);
        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("WARN the timer k?WARN all is well of queue q")
                        .contains("handler a?b: xxx")
                        .endsWith("x...")
                        .doesNotContain("\n")
                        .hasSizeLessThan(400));
    }
}
