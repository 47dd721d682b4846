package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What becomes of a lease, and of its timer. */
final class LeasesTest extends LeaseScene {

    @Test
    void leaseIsAnAttemptThatIsAcknowledged() {
        Tickwheel engine = open(new MemoryTimerStore());
        settled(engine.schedule(TimerRequest.after("q", "k", Duration.ofSeconds(1))
                .withText("do it")
                .withHeaders(Map.of("A", "b"))));
        assertThat(lease(engine, TEN)).as("not due yet").isEmpty();
        threads.advance(Duration.ofSeconds(2));
        Instant now = clock.now();
        Lease lease = settled(engine.lease(TEN.withTtl(Duration.ofSeconds(40)))).get(0);
        assertThat(lease.expiresAt()).isEqualTo(now.plusSeconds(40));
        Attempt attempt = lease.attempt();
        assertThat(attempt.text()).isEqualTo("do it");
        assertThat(attempt.headers()).containsEntry("A", "b");
        assertThat(attempt.number()).isEqualTo(1);
        assertThat(attempt.version()).isEqualTo(1);
        assertThat(attempt.lateness()).isPositive();
        assertThat(lease.id()).startsWith(attempt.id() + ".");
        assertThat(view(engine, "k").state()).isEqualTo(TimerState.CLAIMED);
        assertThat(engine.stats().running()).isEqualTo(1);
        assertThat(lease(engine, TEN)).as("leased already").isEmpty();
        settled(engine.acknowledge(lease.id()));
        TimerView completed = view(engine, "k");
        assertThat(completed.state()).isEqualTo(TimerState.COMPLETED);
        assertThat(completed.history()).hasSize(1);
        gone(engine.acknowledge(lease.id()));
        assertThat(told).containsExactly("started k", "delivered k");
        assertThat(keptBytes).as("what was kept of the content meanwhile").isZero();
        assertThat(engine.stats().running()).isZero();
    }

    @Test
    void acknowledgementOfAnExpiredLeaseCountsForNothing() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        Lease first = one(engine);
        threads.advance(TTL.minusMillis(1));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.CLAIMED);
        clock.advance(Duration.ofMillis(1));
        gone(engine.acknowledge(first.id()));
        gone(engine.nack(first.id(), "late"));
        gone(engine.extend(first.id(), TTL));
        gone(engine.bury(first.id(), "late"));
        TimerView expired = view(engine, "k0");
        assertThat(expired.state()).isEqualTo(TimerState.PENDING);
        assertThat(expired.attempts()).isEqualTo(1);
        assertThat(expired.history()).extracting(PastAttempt::reason).containsExactly("its lease expired");
        Lease second = one(engine);
        assertThat(second.attempt().number()).isEqualTo(2);
        assertThat(second.id()).isNotEqualTo(first.id());
        gone(engine.acknowledge(first.id()));
        settled(engine.acknowledge(second.id()));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.COMPLETED);
        assertThat(told).contains("failed k0: its lease expired");
    }

    /** Neither when it expires, nor when it is given back. */
    @Test
    void timerThatWasLeasedBeforeTheClockWasSetBackIsNotLeasedAgainBeforeItIsDue() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 2);
        List<Lease> leases = lease(engine, TEN);
        clock.stepWall(Duration.ofHours(-1));
        settled(engine.nack(leases.get(0).id(), Duration.ZERO, "planned"));
        threads.advance(TTL);
        gone(engine.acknowledge(leases.get(1).id()));
        assertThat(lease(engine, TEN)).as("an hour before it is due").isEmpty();
        clock.stepWall(Duration.ofHours(1));
        assertThat(keys(lease(engine, TEN))).containsExactlyInAnyOrder("k0", "k1");
    }

    @Test
    void acknowledgementIsLateAlsoWhileTheLoopIsBusyWithOthersThatExpire() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 5_000);
        List<Lease> leases = new ArrayList<>();
        CompletableFuture<List<Lease>> poll;
        do {
            poll = engine.lease(LeaseRequest.of("q").withMax(1_000));
            threads.runUntilIdle();
            leases.addAll(poll.join());
        } while (!poll.join().isEmpty());
        assertThat(leases).hasSize(5_000);
        clock.advance(TTL);
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (int i = leases.size() - 1; i >= 0; i--) {
            answers.add(engine.acknowledge(leases.get(i).id()));
        }
        threads.runUntilIdle();
        assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(engine.liveCount()).isEqualTo(5_000);
    }

    @Test
    void timerWhoseLeasesExpireDies() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(one(engine).attempt().number()).isEqualTo(attempt);
            threads.advance(TTL);
        }
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.DEAD);
        assertThat(lease(engine, TEN)).isEmpty();
        assertThat(told).contains("dead k0: its lease expired");
    }

    @Test
    void extendedLeaseLastsFromThatMoment() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        Lease lease = one(engine);
        for (int i = 0; i < 5; i++) {
            threads.advance(Duration.ofSeconds(29));
            Instant until = settled(engine.extend(lease.id(), TTL));
            assertThat(until).isEqualTo(clock.now().plus(TTL));
        }
        threads.advance(TTL.minusMillis(1));
        settled(engine.acknowledge(lease.id()));
        assertThat(view(engine, "k0").attempts()).isEqualTo(1);
        assertThatThrownBy(() -> engine.extend(lease.id(), Duration.ofMillis(999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ttl is PT0.999S, must be PT1S to PT1H");
    }

    @Test
    void nackWaitsAsItSaysOrAsThePolicyDoes() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        settled(engine.nack(one(engine).id(), "busy"));
        long next = view(engine, "k0").attemptAtMs();
        assertThat(next).isEqualTo(clock.wallMs() + 7_000);
        threads.advance(Duration.ofSeconds(7));
        settled(engine.nack(one(engine).id(), Duration.ofSeconds(2), "again"));
        assertThat(view(engine, "k0").attemptAtMs()).isEqualTo(clock.wallMs() + 2_000);
        threads.advance(Duration.ofSeconds(2));
        Lease last = one(engine);
        settled(engine.nack(last.id(), Duration.ZERO, "no"));
        TimerView dead = view(engine, "k0");
        assertThat(dead.state()).isEqualTo(TimerState.DEAD);
        assertThat(dead.history()).extracting(PastAttempt::reason).containsExactly("busy", "again", "no");
        gone(engine.nack(last.id(), "no"));
        assertThatThrownBy(() -> engine.nack(last.id(), Duration.ofDays(31), ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void buriedTimerIsDeadAtOnce() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        Lease lease = one(engine);
        settled(engine.bury(lease.id(), "cannot be read"));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.DEAD);
        assertThat(told).contains("dead k0: cannot be read");
        gone(engine.bury(lease.id(), "again"));
    }

    @Test
    void unknownLeaseIsGone() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        String id = one(engine).id();
        for (String other :
                List.of("", ".", "x", id + "0", id.substring(0, id.length() - 1), id.substring(id.indexOf('.')))) {
            gone(engine.acknowledge(other));
        }
        settled(engine.acknowledge(id));
    }

    @Test
    void leaseOfACancelledTimerCannotBeExtended() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 2);
        Lease first = one(engine);
        Lease second = one(engine);
        assertThat(settled(engine.cancel("q", first.attempt().key())).outcome())
                .isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        gone(engine.extend(first.id(), TTL));
        settled(engine.acknowledge(first.id()));
        assertThat(view(engine, first.attempt().key()).state()).isEqualTo(TimerState.COMPLETED);

        Bulk bulk = engine.start(BulkRequest.cancel(TimerQuery.of("q")));
        threads.advance(Duration.ofSeconds(1));
        assertThat(bulk.progress().changed()).isEqualTo(1);
        gone(engine.extend(second.id(), TTL));
        threads.advance(TTL);
        assertThat(view(engine, second.attempt().key()).state()).isEqualTo(TimerState.CANCELLED);
        gone(engine.acknowledge(second.id()));
        assertThat(lease(engine, TEN)).isEmpty();
    }

    @Test
    void replacedTimerIsLeasedAnewAndTheOldLeaseCountsForNothing() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        Lease old = one(engine);
        schedule(engine, 1);
        Lease anew = one(engine);
        assertThat(anew.attempt().version()).isEqualTo(2);
        gone(engine.acknowledge(old.id()));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.CLAIMED);
        settled(engine.acknowledge(anew.id()));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.COMPLETED);
        assertThat(engine.stats().running()).isZero();
    }

    /** Who is answered that it was done must not find the timer as if nothing had been asked. */
    @Test
    void nothingCanBeAskedOfTheLeaseOfAReplacedTimer() {
        Tickwheel engine = open(new MemoryTimerStore());
        List<Function<String, CompletableFuture<?>>> asked = List.of(
                id -> engine.nack(id, "busy"),
                id -> engine.nack(id, Duration.ZERO, "busy"),
                id -> engine.bury(id, "no use"),
                id -> engine.extend(id, TTL),
                engine::acknowledge);
        for (Function<String, CompletableFuture<?>> each : asked) {
            schedule(engine, 1);
            Lease old = one(engine);
            schedule(engine, 1);
            gone(each.apply(old.id()));
            gone(each.apply(old.id()));
            assertThat(view(engine, "k0").attempts()).isZero();
        }
        Lease anew = one(engine);
        settled(engine.bury(anew.id(), "no use"));
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.DEAD);
        assertThat(engine.stats().running()).isZero();
    }

    @Test
    void reasonThatIsNoUnicodeIsRefusedAndTheLeaseIsHeld() {
        Tickwheel engine = open(new MemoryTimerStore());
        schedule(engine, 1);
        String id = one(engine).id();
        List<ThrowingCallable> calls = List.of(
                () -> engine.nack(id, "no \ud800"),
                () -> engine.nack(id, Duration.ZERO, "no \ud800"),
                () -> engine.bury(id, "no \ud800"));
        for (ThrowingCallable each : calls) {
            assertThatThrownBy(each)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("reason has half of a surrogate pair at 3, must be valid Unicode");
        }
        settled(engine.nack(id, "\ud83d\ude00"));
        assertThat(view(engine, "k0").attempts()).isEqualTo(1);
    }

    /** What an exception says is not refused: its attempt has failed all the same. */
    @Test
    void exceptionWhoseMessageIsNoUnicodeIsAFailedAttempt() {
        Tickwheel engine = open(new MemoryTimerStore());
        engine.handle("handled", attempt -> {
            throw new IllegalStateException("no \ud800");
        });
        schedule(engine, "handled", 0, 1, Duration.ZERO);
        threads.advance(Duration.ofSeconds(1));
        TimerView failed = settled(engine.find("handled", "k0")).orElseThrow();
        assertThat(failed.history())
                .singleElement()
                .satisfies(past -> assertThat(past.reason()).startsWith("java.lang.IllegalStateException: no "));
    }

    /** That was the last attempt: to give it back ends it. */
    @Test
    void leaseOfACancelledTimerIsGivenBack() {
        Tickwheel engine = open(new MemoryTimerStore());
        List<Function<String, CompletableFuture<?>>> asked =
                List.of(id -> engine.nack(id, "busy"), id -> engine.bury(id, "no use"));
        for (Function<String, CompletableFuture<?>> each : asked) {
            schedule(engine, 1);
            Lease last = one(engine);
            settled(engine.cancel("q", "k0"));
            settled(each.apply(last.id()));
            assertThat(view(engine, "k0").state()).isEqualTo(TimerState.CANCELLED);
            assertThat(settled(engine.cancel("q", "k0")).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
            gone(each.apply(last.id()));
        }
        assertThat(lease(engine, TEN)).isEmpty();
    }

    @Test
    void expiredTimerIsNotLeased() {
        Tickwheel engine = open(new MemoryTimerStore());
        settled(engine.schedule(TimerRequest.after("q", "k0", Duration.ZERO).withExpireAfter(Duration.ofSeconds(40))));
        settled(engine.schedule(TimerRequest.after("q", "k1", Duration.ZERO).withExpireAfter(Duration.ofSeconds(10))));
        assertThat(lease(engine, TEN)).hasSize(2);
        threads.advance(TTL);
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.PENDING);
        assertThat(view(engine, "k1").state()).isEqualTo(TimerState.EXPIRED);
        threads.advance(TTL);
        assertThat(lease(engine, TEN)).isEmpty();
        assertThat(view(engine, "k0").state()).isEqualTo(TimerState.EXPIRED);
    }

    @Test
    void hundredThousandLeasesAreHeld() {
        Tickwheel engine = open(new MemoryTimerStore(), builder -> builder.loadedTimers(200_000));
        List<CompletableFuture<Scheduled>> scheduled = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            scheduled.add(engine.schedule("q", "k" + i, Duration.ofSeconds(1)));
            if (i % 1_000 == 999) {
                threads.runUntilIdle();
            }
        }
        assertThat(scheduled).allMatch(CompletableFuture::isDone);
        List<Lease> leases = new ArrayList<>();
        for (int polls = 0; polls < 2_000 && leases.size() < 100_000; polls++) {
            CompletableFuture<List<Lease>> poll = engine.lease(LeaseRequest.of("q")
                    .withMax(1_000)
                    .withWait(Duration.ofSeconds(5))
                    .withTtl(Duration.ofHours(1)));
            threads.runUntilIdle();
            if (!poll.isDone()) {
                threads.advance(Duration.ofSeconds(5));
            }
            leases.addAll(poll.join());
        }
        assertThat(leases).hasSize(100_000);
        assertThat(engine.stats().running()).isEqualTo(100_000);
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (Lease lease : leases) {
            answers.add(engine.acknowledge(lease.id()));
            if (answers.size() % 1_000 == 0) {
                threads.runUntilIdle();
            }
        }
        assertThat(answers).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        threads.runUntilIdle();
        assertThat(engine.stats().running()).isZero();
        assertThat(engine.liveCount()).isZero();
    }
}
