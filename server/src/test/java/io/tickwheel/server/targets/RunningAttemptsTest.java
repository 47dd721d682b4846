package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How many attempts run is what a server that stops waits for. */
final class RunningAttemptsTest {

    private static final Attempt ATTEMPT = SentCallback.attempt("http://127.0.0.1/", new byte[0], 1);

    private final RunningAttempts attempts = new RunningAttempts();

    private static Named<Consumer<Delivery>> end(String name, Consumer<Delivery> told) {
        return Named.of(name, told);
    }

    static Stream<Named<Consumer<Delivery>>> ends() {
        return Stream.of(
                end("acknowledged", Delivery::acknowledge),
                end("failed", delivery -> delivery.fail("x")),
                end("failed with a wait", delivery -> delivery.fail("x", Duration.ofSeconds(1))),
                end("unreachable", delivery -> delivery.unreachable("x")),
                end("postponed", delivery -> delivery.postpone("x", Instant.EPOCH)),
                end("rejected", delivery -> delivery.reject("x")));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void anAttemptRunsUntilItsOutcomeIsTold(Consumer<Delivery> end) {
        List<Delivery> given = new ArrayList<>();
        CompletableFuture<String> how = new CompletableFuture<>();
        attempts.of((attempt, delivery) -> given.add(delivery)).deliver(ATTEMPT, new SentCallback.Outcome(how));
        assertThat(attempts.count()).isEqualTo(1);
        given.get(0).answered(503);
        given.get(0).answered(503, "busy");
        assertThat(attempts.count()).isEqualTo(1);
        end.accept(given.get(0));
        assertThat(attempts.count()).isZero();
        assertThat(how).isDone();
        end.accept(given.get(0));
        assertThat(attempts.count()).isZero();
    }

    @Test
    void whatAReceiverHasAnsweredIsPassedOn() {
        List<String> answers = new ArrayList<>();
        attempts.of((attempt, delivery) -> {
                    delivery.answered(503);
                    delivery.answered(429, "busy");
                })
                .deliver(ATTEMPT, new SentCallback.Outcome(new CompletableFuture<>()) {
                    @Override
                    public void answered(int status) {
                        answers.add(Integer.toString(status));
                    }

                    @Override
                    public void answered(int status, String excerpt) {
                        answers.add(status + " " + excerpt);
                    }
                });
        assertThat(answers).containsExactly("503", "429 busy");
    }

    @Test
    void anAttemptThatATargetThrowsAtDoesNotRun() {
        IllegalStateException thrown = new IllegalStateException("x");
        assertThatThrownBy(() -> attempts.of((attempt, delivery) -> {
                            throw thrown;
                        })
                        .deliver(ATTEMPT, new SentCallback.Outcome(new CompletableFuture<>())))
                .isSameAs(thrown);
        Error error = new NoClassDefFoundError("x");
        assertThatThrownBy(() -> attempts.of((attempt, delivery) -> {
                            throw error;
                        })
                        .deliver(ATTEMPT, new SentCallback.Outcome(new CompletableFuture<>())))
                .isSameAs(error);
        assertThat(attempts.count()).isZero();
    }
}
