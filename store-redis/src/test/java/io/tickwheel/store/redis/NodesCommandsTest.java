package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers of one node that another one changes, or ends. */
final class NodesCommandsTest extends NodesScene {

    @Test
    void timerCancelledByAnotherNodeIsNotGranted() {
        Node a = open("a");
        await(() -> a.calendar.load(0, HORIZON_MS, 10_000));
        Node b = open("b", false);
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        assertThat(other.cancel("k").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        List<ClaimedTimer> granted = owner.loaded.isEmpty() ? List.of() : owner.claim("k");
        await(() -> owner.loaded.isEmpty());
        assertThat(granted).isEmpty();
    }

    /** Nobody tells the owner; what it says of its attempt counts for nothing. */
    @Test
    void attemptThatAnotherNodeCancelsIsTheLastOne() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        List<ClaimedTimer> granted = owner.claim("k");
        await(() -> !granted.isEmpty());
        assertThat(other.cancel("k").outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(other.cancel("k").outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        owner.calendar.retry(granted.get(0).handle(), 2);
        awaitQuiet(owner);
        assertThat(other.cancel("k").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(owner.loaded).isEmpty();
    }

    /** As far as the owner knows it counts. */
    @Test
    void endOfAnAttemptThatAnotherNodeHasCancelledIsToldToCountForNothing() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        for (TimerState outcome : List.of(TimerState.DEAD, TimerState.EXPIRED)) {
            String key = outcome.name();
            a.schedule(key, 1);
            awaitAllLoaded(1);
            Node owner = a.loaded.isEmpty() ? b : a;
            Node other = owner == a ? b : a;
            List<ClaimedTimer> granted = owner.claim(key);
            await(() -> !granted.isEmpty());
            assertThat(other.cancel(key).outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
            List<Boolean> counted = new ArrayList<>();
            owner.calendar.finish(granted.get(0).handle(), outcome, null, counted::add);
            assertThat(counted).isEmpty();
            awaitQuiet(owner);
            assertThat(counted).containsExactly(false);
            assertThat(other.cancel(key).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        }
    }

    /** It is in flight and not live, however much is remembered of it. */
    @Test
    void lastAttemptOfATimerWithManyAttemptsIsSound() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        PastAttempt longest = new PastAttempt(
                1, 2, 3, 4, 503, "x".repeat(PastAttempt.MOST_REASON_BYTES), "y".repeat(PastAttempt.MOST_EXCERPT_BYTES));
        for (int i = 2; i < 12; i++) {
            List<ClaimedTimer> granted = owner.claim("k");
            await(() -> !granted.isEmpty());
            owner.calendar.retry(granted.get(0).handle(), i, longest);
            await(() -> owner.loaded.containsKey("k"));
        }
        List<ClaimedTimer> granted = owner.claim("k");
        await(() -> !granted.isEmpty());
        Cancelled cancelled = other.cancel("k");
        assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(cancelled.timer().history()).hasSize(PastAttempt.REMEMBERED).containsOnly(longest);
        assertThat(RedisVerification.verify(address(), namespace).findings()).isEmpty();
        owner.calendar.finish(granted.get(0).handle(), TimerState.COMPLETED, longest);
        awaitQuiet(owner);
    }

    @Test
    void timerRescheduledByAnotherNodeIsDeliveredAtItsNewTime() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        assertThat(other.change(ChangeCommand.reschedule(new TimerKey("q", "k"), 5))
                        .outcome())
                .isEqualTo(Changed.Outcome.CHANGED);
        await(() -> owner.loaded.containsKey("k") && owner.loaded.get("k").attemptAtMs() == 5);
        List<ClaimedTimer> granted = owner.claim("k");
        await(() -> !granted.isEmpty());
        assertThat(granted.get(0).view().dueAtMs()).isEqualTo(5);
        owner.calendar.finish(granted.get(0).handle(), TimerState.DEAD);
        awaitQuiet(owner);
        assertThat(other.change(ChangeCommand.redrive(new TimerKey("q", "k"), 7))
                        .outcome())
                .isEqualTo(Changed.Outcome.CHANGED);
        await(() -> owner.loaded.containsKey("k") && owner.loaded.get("k").attemptAtMs() == 7);
    }

    @Test
    void timerReplacedByAnotherNodeIsDeliveredAsItIsNow() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        assertThat(other.schedule("k", 5).previous()).isEqualTo(Scheduled.Previous.PENDING);
        await(() -> owner.loaded.containsKey("k") && owner.loaded.get("k").attemptAtMs() == 5);
        List<ClaimedTimer> granted = owner.claim("k");
        await(() -> !granted.isEmpty());
        assertThat(granted.get(0).view().version()).isEqualTo(2);
        owner.calendar.finish(granted.get(0).handle(), TimerState.COMPLETED);
        awaitQuiet(owner);
    }

    @Test
    void nodeThatClosesHandsOverAndItsRunningAttemptEnds() {
        Node a = open("a");
        await(() -> a.calendar.load(0, HORIZON_MS, 10_000));
        keys().forEach(key -> a.schedule(key, 1));
        awaitAllLoaded(KEYS);
        List<ClaimedTimer> granted = a.claim("k0");
        await(() -> !granted.isEmpty());
        Node b = open("b");
        awaitOwners();
        a.calendar.handOver();
        await(() -> b.loaded.size() == KEYS - 1);
        assertThat(a.loaded).isEmpty();
        a.calendar.finish(granted.get(0).handle(), TimerState.COMPLETED);
        a.close();
        assertThat(b.cancel("k0").timer().state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void whatADeadNodeHadClaimedIsDeliveredAgain() {
        Node a = open("a");
        await(() -> a.calendar.load(0, HORIZON_MS, 10_000));
        a.schedule("k", 1);
        awaitAllLoaded(1);
        List<ClaimedTimer> first = a.claim("k");
        await(() -> !first.isEmpty());
        PastAttempt failed = new PastAttempt(1, 2, 3, 4, 503, "failed", "come back later");
        a.calendar.retry(first.get(0).handle(), 2, failed);
        awaitAllLoaded(1);
        List<ClaimedTimer> granted = a.claim("k");
        await(() -> !granted.isEmpty());
        a.kill();
        Node b = open("b");
        await(() -> b.loaded.containsKey("k"));
        List<ClaimedTimer> again = b.claim("k");
        await(() -> !again.isEmpty());
        assertThat(again.get(0).view().attempts()).isEqualTo(3);
        assertThat(again.get(0).view().history()).containsExactly(failed);
        List<TimerView> exported = new ArrayList<>();
        RedisExport.read(address(), namespace, (timer, content) -> exported.add(timer));
        assertThat(exported)
                .singleElement()
                .satisfies(timer -> assertThat(timer.history()).containsExactly(failed));
        b.calendar.finish(again.get(0).handle(), TimerState.COMPLETED);
        awaitQuiet(b);
    }

    @Test
    void ownerThatWasStoppedForLongIsFenced() {
        Node stopped = open("a");
        await(() -> stopped.calendar.load(0, HORIZON_MS, 10_000));
        keys().forEach(key -> stopped.schedule(key, 1));
        awaitAllLoaded(KEYS);
        stopped.isOpen = false;
        expireLeases();
        Node b = open("b");
        await(() -> b.loaded.size() == KEYS);
        // It wakes, and still believes that it owns everything.
        List<List<ClaimedTimer>> granted = new ArrayList<>();
        keys().forEach(key -> granted.add(stopped.claim(key)));
        await(() -> {
            stopped.calendar.work(1_000);
            return stopped.loaded.isEmpty();
        });
        assertThat(granted).allMatch(List::isEmpty);
        stopped.isOpen = true;
    }
}
