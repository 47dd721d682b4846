package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.LeaseRequest;
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
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was leased before a restart can still be acknowledged, as long as nobody else has it. */
class LateAcknowledgementsTest {

    private static final Duration TTL = Duration.ofHours(1);
    private static final LeaseRequest TEN = LeaseRequest.of("q").withMax(10).withTtl(TTL);

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final SplittableRandom random = new SplittableRandom(2);
    private final MemoryTimerStore store = new MemoryTimerStore();
    private final List<String> delivered = new ArrayList<>();
    private ManualThreads threads = new ManualThreads(clock, random.split());
    private Tickwheel engine = open();

    private Tickwheel open() {
        threads = new ManualThreads(clock, random.split());
        Tickwheel opened = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(random.split()::nextLong)
                .retry(RetryPolicy.fixed(3, Duration.ofSeconds(7)))
                .listener(new EngineListener() {
                    @Override
                    public void delivered(Attempt attempt) {
                        delivered.add(attempt.key() + " " + attempt.number());
                    }
                })
                .open();
        threads.runUntilIdle();
        return opened;
    }

    private void lose(boolean crash) {
        if (crash) {
            store.crash();
        } else {
            settled(engine.closeAsync());
        }
        engine = open();
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private void gone(CompletableFuture<?> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        assertThatThrownBy(answer::join).hasCauseInstanceOf(LeaseGoneException.class);
    }

    private List<Lease> lease() {
        CompletableFuture<List<Lease>> answer = engine.lease(TEN.withWait(Duration.ofMillis(10)));
        threads.advance(Duration.ofSeconds(1));
        return settled(answer);
    }

    private Lease one() {
        List<Lease> leases = lease();
        assertThat(leases).hasSize(1);
        return leases.get(0);
    }

    private TimerView view() {
        return settled(engine.find("q", "k")).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void clockThatWasSetBackIsNamedAsAReason(boolean crash) {
        settled(engine.schedule("q", "k", Duration.ZERO));
        Lease lease = one();
        lose(crash);
        clock.stepWall(Duration.ofHours(-1));
        CompletableFuture<?> answer = engine.acknowledge(lease.id());
        threads.runUntilIdle();
        assertThatThrownBy(answer::join)
                .hasCauseInstanceOf(LeaseGoneException.class)
                .hasMessageContaining("is not due yet: it was rescheduled, or the clock set back");
        assertThat(view().state()).isEqualTo(TimerState.PENDING);
        assertThat(delivered).isEmpty();
        clock.stepWall(Duration.ofHours(1));
        settled(engine.acknowledge(lease.id()));
        assertThat(delivered).containsExactly("k 1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasLeasedBeforeIsAcknowledged(boolean crash) {
        settled(engine.schedule("q", "k", Duration.ZERO));
        Lease lease = one();
        lose(crash);
        clock.advance(Duration.ofMinutes(5));
        Instant now = clock.now();
        settled(engine.acknowledge(lease.id()));
        TimerView completed = view();
        assertThat(completed.state()).isEqualTo(TimerState.COMPLETED);
        assertThat(completed.attempts()).isEqualTo(1);
        assertThat(completed.history()).containsExactly(new PastAttempt(1, now.toEpochMilli(), 0, 0, 0, ""));
        assertThat(delivered).containsExactly("k 1");
        assertThat(engine.liveCount()).isZero();
        gone(engine.acknowledge(lease.id()));
        assertThat(lease()).isEmpty();
        lose(true);
        assertThat(view()).isEqualTo(completed);
        assertThat(lease()).isEmpty();
        gone(engine.acknowledge(lease.id()));
        assertThat(delivered).containsExactly("k 1");
    }

    /** Nothing happened to it in all of them. */
    @Test
    void leaseOutlivesSeveralRestarts() {
        settled(engine.schedule("q", "k", Duration.ZERO));
        Lease lease = one();
        lose(true);
        lose(false);
        lose(true);
        settled(engine.acknowledge(lease.id()));
        assertThat(view().state()).isEqualTo(TimerState.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsLeasedAgainIsNotAcknowledgedByTheOneBefore(boolean crash) {
        settled(engine.schedule("q", "k", Duration.ZERO));
        Lease before = one();
        lose(crash);
        Lease again = one();
        assertThat(again.attempt().number()).isEqualTo(before.attempt().number());
        gone(engine.acknowledge(before.id()));
        assertThat(view().state()).isEqualTo(TimerState.CLAIMED);
        settled(engine.nack(again.id(), "not yet"));
        gone(engine.acknowledge(before.id()));
        lose(crash);
        gone(engine.acknowledge(before.id()));
        gone(engine.acknowledge(again.id()));
        assertThat(view().state()).isEqualTo(TimerState.PENDING);
        assertThat(delivered).isEmpty();
    }

    @Test
    void whatHasEndedBeforeStaysRefused() {
        settled(engine.schedule("q", "k", Duration.ZERO));
        Lease expired = one();
        threads.advance(TTL);
        gone(engine.acknowledge(expired.id()));
        lose(true);
        gone(engine.acknowledge(expired.id()));
        Lease second = one();
        settled(engine.bury(second.id(), "hopeless"));
        lose(true);
        gone(engine.acknowledge(second.id()));
        settled(engine.redrive("q", "k"));
        gone(engine.acknowledge(expired.id()));
        gone(engine.acknowledge(second.id()));
        assertThat(view().state()).isEqualTo(TimerState.PENDING);
    }

    @Test
    void nothingElseIsTakenOfALeaseOfBefore() {
        settled(engine.schedule("q", "k", Duration.ZERO));
        Lease lease = one();
        lose(true);
        gone(engine.nack(lease.id(), "no"));
        gone(engine.nack(lease.id(), Duration.ZERO, "no"));
        gone(engine.extend(lease.id(), TTL));
        gone(engine.bury(lease.id(), "no"));
        assertThat(view().state()).isEqualTo(TimerState.PENDING);
        assertThat(view().history()).isEmpty();
    }

    @Test
    void replacedOrCancelledTimerIsNotAcknowledged() {
        settled(engine.schedule("q", "k", Duration.ZERO));
        Lease lease = one();
        lose(true);
        settled(engine.schedule("q", "k", Duration.ofHours(1)));
        gone(engine.acknowledge(lease.id()));
        assertThat(view().state()).isEqualTo(TimerState.PENDING);
        settled(engine.schedule("q", "k", Duration.ZERO));
        Lease second = one();
        lose(true);
        settled(engine.cancel("q", "k"));
        gone(engine.acknowledge(second.id()));
        assertThat(view().state()).isEqualTo(TimerState.CANCELLED);
    }

    /** Whatever somebody makes up is of no timer. */
    @Test
    void idThatNobodyWasGivenIsOfNoLease() {
        settled(engine.schedule("q", "k", Duration.ZERO));
        String id = one().id();
        lose(true);
        String name = id.substring(id.lastIndexOf('.') + 1);
        for (String other : List.of("q\0other", "no queue\0k", "q\0" + "x".repeat(513), "q\0\u001f", "\0")) {
            String encoded =
                    Base64.getUrlEncoder().withoutPadding().encodeToString(other.getBytes(StandardCharsets.UTF_8));
            gone(engine.acknowledge(id.replace(name, encoded)));
        }
        gone(engine.acknowledge("tmr_none" + id.substring(id.indexOf('.'))));
        gone(engine.acknowledge(id.replaceFirst("\\.1\\.", ".2.")));
        gone(engine.acknowledge(id.replaceFirst("\\.1\\.", ".2147483647.")));
        assertThat(view().state()).isEqualTo(TimerState.PENDING);
    }

    /** A batch of a thousand, of which each is decided for itself. */
    @Test
    void manyAreAcknowledgedAtOnce() {
        for (int i = 0; i < 1_000; i++) {
            var unused = engine.schedule("q", "k" + i, Duration.ZERO);
        }
        threads.runUntilIdle();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            leases.addAll(lease());
        }
        assertThat(leases).hasSize(1_000);
        lose(true);
        List<Lease> again = lease();
        assertThat(again).hasSize(10);
        List<CompletableFuture<Void>> answers =
                leases.stream().map(each -> engine.acknowledge(each.id())).toList();
        threads.runUntilIdle();
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertThat(answers.stream().filter(CompletableFuture::isCompletedExceptionally))
                .hasSize(10);
        assertThat(engine.liveCount()).isEqualTo(10);
    }
}
