package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** What a receiver answered is remembered with an attempt as far as its queue asks for it. */
final class ExcerptsTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final List<PastAttempt> ended = new ArrayList<>();
    private BiConsumer<Attempt, Delivery> receiver = (attempt, delivery) -> delivery.acknowledge();
    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .retry(RetryPolicy.fixed(3, Duration.ofSeconds(10)).withJitter(0))
            .target("t", (attempt, delivery) -> receiver.accept(attempt, delivery))
            .queueDestination("asks", new Destination("t", ""))
            .queueDestination("other", new Destination("t", ""))
            .queue("asks", QueueSettings.NONE.withExcerpts(true))
            .listener(new EngineListener() {
                @Override
                public void ended(Attempt attempt, PastAttempt past) {
                    ended.add(past);
                }
            })
            .open();

    private TimerView deliver(String queue) {
        settled(engine.schedule(queue, "a", Duration.ZERO));
        return find(queue);
    }

    private TimerView find(String queue) {
        return settled(engine.find(queue, "a")).orElseThrow();
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private String excerptOf(String answer) {
        receiver = (attempt, delivery) -> {
            delivery.answered(200, answer);
            delivery.acknowledge();
        };
        List<PastAttempt> history = deliver("asks").history();
        assertThat(history).hasSize(1);
        return history.get(0).excerpt();
    }

    @Test
    void excerptIsKeptOfEachAttemptWhateverBecomesOfIt() {
        List<String> answers = new ArrayList<>(List.of("try later", "no", "ok"));
        receiver = (attempt, delivery) -> {
            assertThat(attempt.keepsExcerpt()).isTrue();
            delivery.answered(503, answers.remove(0));
            if (answers.isEmpty()) {
                delivery.acknowledge();
            } else {
                delivery.fail("HTTP 503");
            }
        };
        deliver("asks");
        threads.advance(Duration.ofSeconds(20));
        TimerView view = find("asks");
        assertThat(view.state()).isEqualTo(TimerState.COMPLETED);
        assertThat(view.history()).extracting(PastAttempt::excerpt).containsExactly("try later", "no", "ok");
        assertThat(ended).isEqualTo(view.history());
        assertThat(view.history()).extracting(PastAttempt::status).containsOnly(503);
    }

    @Test
    void excerptOfAnAttemptThatIsTheLastOneIsKept() {
        receiver = (attempt, delivery) -> {
            delivery.answered(410, "gone");
            delivery.reject("HTTP 410");
        };
        TimerView view = deliver("asks");
        assertThat(view.state()).isEqualTo(TimerState.DEAD);
        assertThat(view.history()).extracting(PastAttempt::excerpt).containsExactly("gone");
    }

    @Test
    void queueThatDoesNotAskKeepsNone() {
        receiver = (attempt, delivery) -> {
            assertThat(attempt.keepsExcerpt()).isFalse();
            delivery.answered(503, "come back later");
            delivery.fail("HTTP 503");
        };
        PastAttempt past = deliver("other").history().get(0);
        assertThat(past.status()).isEqualTo(503);
        assertThat(past.excerpt()).isEmpty();
    }

    @Test
    void lastThingThatIsToldCounts() {
        receiver = (attempt, delivery) -> {
            delivery.answered(100, "wait");
            delivery.answered(200, "here");
            delivery.acknowledge();
        };
        assertThat(deliver("asks").history()).extracting(PastAttempt::excerpt).containsExactly("here");
        receiver = (attempt, delivery) -> {
            delivery.answered(100, "wait");
            delivery.answered(200);
            delivery.acknowledge();
        };
        assertThat(deliver("asks").history()).extracting(PastAttempt::excerpt).containsExactly("");
    }

    @Test
    void longAnswerIsCutBetweenTwoCharacters() {
        assertThat(excerptOf("x".repeat(1_000_000))).isEqualTo("x".repeat(200));
        assertThat(excerptOf("é".repeat(101))).isEqualTo("é".repeat(100));
        assertThat(excerptOf("x" + "é".repeat(100))).isEqualTo("x" + "é".repeat(99));
        String grin = "\uD83D\uDE00";
        for (int before = 0; before < 4; before++) {
            String cut = excerptOf("-".repeat(before) + grin.repeat(60));
            assertThat(cut).isEqualTo("-".repeat(before) + grin.repeat(before == 0 ? 50 : 49));
            assertThat(cut.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(200);
        }
    }

    @Test
    void charactersStayAsTheyAre() {
        String odd = "\0\t\r\n\u001b[31m\u0085\"\\";
        assertThat(excerptOf(odd)).isEqualTo(odd);
        assertThat(excerptOf("a\uD83Db\uDE00")).isEqualTo("a?b?");
        assertThat(excerptOf("")).isEmpty();
    }
}
