package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.TimerRecord;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.loading.Loading;
import io.tickwheel.store.redis.loading.SeenTimer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a node has of a partition that it owns: a step at a time. */
final class LoadedTimersTest {

    private static final int INDEX = 3;
    private static final long DUE_MS = 400;
    private static final long LOOKED_TO_MS = 1_000;
    private static final long TOKEN = 77;
    private static final long THIRD_NANOS = LoopNode.LEASE.toNanos() / 3;

    private final LoopNode node = new LoopNode();
    private final Partition partition = new Partition(INDEX, node.context);
    private final LoadedTimers timers = partition.timers;
    private final List<ClaimedTimer> granted = new ArrayList<>();

    LoadedTimersTest() {
        partition.want(true);
        partition.drive(0);
        node.link.answer(List.of(0L, Text.bytes("7")));
        // So long ago that nothing is late.
        node.turn.load(Loading.BEGINNING_MS);
        partition.loading.want(LOOKED_TO_MS);
        node.context.budget.begin(1_000, 1);
        partition.drive(0);
        List<Object> answer = new ArrayList<>(LoopNode.nothingToTend());
        answer.set(8, LOOKED_TO_MS);
        node.link.answer(answer);
        assertThat(partition.loading.lookedTo()).isEqualTo(LOOKED_TO_MS);
    }

    private static byte[] field(String key) {
        return Layout.field(new TimerKey("q", key));
    }

    private static SeenTimer seen(String key, long route, long dueAtMs, int contentBytes) {
        return new SeenTimer(Member.of(route, field(key)), dueAtMs, contentBytes);
    }

    private static TimerRecord record(TimerState state, long attemptAtMs) {
        return new TimerRecord(
                state, false, 0, false, 1, attemptAtMs, attemptAtMs, 5, 1, 0, TOKEN, 0, List.of(), new byte[0]);
    }

    private RedisTimer loaded(String key) {
        timers.meet(seen(key, Lane.QUEUE_ROUTE, DUE_MS, 10));
        return (RedisTimer) node.loaded.get(node.loaded.size() - 1);
    }

    private RedisTimer claimed(String key) {
        RedisTimer timer = loaded(key);
        timers.granted(timer, TOKEN, node.turn.nowNanos(), record(TimerState.CLAIMED, DUE_MS), granted::add);
        // Who claims takes it out of its index.
        node.loaded.remove(timer);
        return timer;
    }

    /** The letters of the commands that are sent next. */
    private String letters() {
        CommandBatch batch = partition.takeCommands(node.turn.nowNanos(), null, 1_000, 1_000_000);
        if (batch == null) {
            return "";
        }
        StringBuilder letters = new StringBuilder();
        batch.commands().forEach(each -> letters.append(each.letter()));
        partition.takeBack(batch);
        partition.landed(node.membership.beat(false), new Reply(Reply.Outcome.UNAVAILABLE, null, "", 0));
        return letters.toString();
    }

    private int taken() {
        return node.room().taken();
    }

    /** From when on timers of the queue wait that are not loaded. */
    private long waitsFromMs() {
        return node.context.lanes.waiting(Long.MAX_VALUE - 1).stream()
                .mapToLong(each -> each.sinceMs())
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    @Test
    void timerIsKnownAsItWasSeen() {
        RedisTimer timer = loaded("k");
        assertThat(timers.has(seen("k", Lane.QUEUE_ROUTE, DUE_MS, 10))).isTrue();
        assertThat(timers.has(seen("k", Lane.QUEUE_ROUTE, DUE_MS + 1, 10))).isFalse();
        assertThat(timers.has(seen("k", 9, DUE_MS, 10))).isFalse();
        assertThat(timers.has(seen("other", Lane.QUEUE_ROUTE, DUE_MS, 10))).isFalse();
        assertThat(timers.has(seen("k", Lane.QUEUE_ROUTE, DUE_MS, 90))).isTrue();
        assertThat(timer.contentBytes()).as("of what has replaced it").isEqualTo(90);
    }

    @Test
    void nearInsertIsLoadedWhereItWasLookedThrough() {
        timers.meet(seen("k", Lane.QUEUE_ROUTE, LOOKED_TO_MS, 10));
        assertThat(node.loaded).isEmpty();
        timers.meet(seen("k", Lane.QUEUE_ROUTE, LOOKED_TO_MS - 1, 10));
        assertThat(node.loaded).hasSize(1);
        RedisTimer before = (RedisTimer) node.loaded.get(0);
        timers.meet(seen("k", Lane.QUEUE_ROUTE, DUE_MS, 10));
        assertThat(node.loaded).hasSize(1).doesNotContain(before);
        assertThat(node.loaded.get(0).attemptAtMs()).isEqualTo(DUE_MS);
    }

    @Test
    void roomIsGivenBackByWhatIsClaimedOrUnloaded() {
        RedisTimer timer = loaded("k");
        assertThat(taken()).isOne();
        timers.unload(timer);
        timers.unload(timer);
        assertThat(taken()).isZero();
        assertThat(node.loaded).isEmpty();
        claimed("k");
        assertThat(taken()).isZero();
        assertThat(granted).hasSize(1);
        assertThat(Objects.requireNonNull(timers.known(field("k"))).state).isEqualTo(RedisTimer.State.CLAIMED);
        loaded("a");
        loaded("b");
        timers.unloadAll();
        assertThat(taken()).isZero();
        assertThat(node.loaded).isEmpty();
    }

    @Test
    void timerThatIsPassedOverWaits() {
        RedisTimer timer = loaded("k");
        assertThat(waitsFromMs()).isEqualTo(Long.MAX_VALUE);
        timers.passOver(timer);
        node.loaded.clear();
        assertThat(waitsFromMs()).isEqualTo(DUE_MS);
        assertThat(taken()).isZero();
        assertThatIllegalStateException()
                .isThrownBy(() -> timers.passOver(timer))
                .withMessageContaining("must be loaded");
        assertThatIllegalStateException().isThrownBy(() -> timers.end(timer)).withMessageContaining("must be claimed");
    }

    @Test
    void grantOfATimerThatIsUnloadedIsGivenBack() {
        RedisTimer timer = loaded("k");
        timers.unload(timer);
        timers.granted(timer, TOKEN, node.turn.nowNanos(), record(TimerState.CLAIMED, DUE_MS), granted::add);
        assertThat(granted).isEmpty();
        assertThat(letters()).isEqualTo("U");
        assertThat(timer.token).isEqualTo(TOKEN);
    }

    // ---- what other commands find

    @Test
    void whatStandsThereNowIsLoadedInItsPlace() {
        RedisTimer running = claimed("k");
        timers.stands(field("k"), record(TimerState.PENDING, DUE_MS + 1), 10);
        assertThat(node.loaded).extracting(each -> each.attemptAtMs()).containsExactly(DUE_MS + 1);
        assertThat(running.replaced).isTrue();
        timers.stands(field("k"), record(TimerState.PENDING, LOOKED_TO_MS), 10);
        assertThat(node.loaded).as("what is not due soon").isEmpty();
        assertThat(waitsFromMs()).isEqualTo(Long.MAX_VALUE);
        assertThat(timers.end(running)).as("its end counts").isFalse();
    }

    @Test
    void timerOfUnknownSizeIsLookedFor() {
        timers.stands(field("k"), record(TimerState.PENDING, DUE_MS), -1);
        assertThat(node.loaded).isEmpty();
        assertThat(waitsFromMs()).isEqualTo(DUE_MS);
        timers.stands(field("k"), record(TimerState.PENDING, DUE_MS), 0);
        assertThat(node.loaded).hasSize(1);
    }

    @Test
    void whatIsNotPendingIsUnloaded() {
        loaded("k");
        timers.stands(field("k"), record(TimerState.CANCELLED, DUE_MS), 10);
        assertThat(node.loaded).isEmpty();
        assertThat(taken()).isZero();
    }

    @Test
    void timerIsNotLoadedTwiceWhenItsClaimIsGivenBack() {
        RedisTimer timer = loaded("k");
        timers.back(timer, record(TimerState.PENDING, DUE_MS));
        assertThat(node.loaded).containsExactly(timer);
        timers.back(timer, record(TimerState.PENDING, DUE_MS + 1));
        assertThat(node.loaded).extracting(each -> each.attemptAtMs()).containsExactly(DUE_MS + 1);
    }

    @Test
    void onlyTheClaimThatWasCancelledIsTheLast() {
        RedisTimer timer = claimed("k");
        timers.cancelled(field("k"), TOKEN + 1);
        timers.cancelled(field("other"), TOKEN);
        assertThat(timer.cancelled).isFalse();
        timers.cancelled(field("k"), TOKEN);
        assertThat(timer.cancelled).isTrue();
    }

    // ---- claims

    @Test
    void claimThatIsGivenBackStaysLoaded() {
        RedisTimer timer = claimed("k");
        assertThat(timers.release(timer)).isTrue();
        assertThat(timer.state).isEqualTo(RedisTimer.State.LOADED);
        assertThat(taken()).isOne();
        assertThat(letters()).isEqualTo("U");
    }

    @Test
    void claimOfWhatIsCancelledReplacedOrAnothersIsGivenBackAndGone() {
        RedisTimer cancelled = claimed("a");
        cancelled.cancelled = true;
        RedisTimer replaced = claimed("b");
        replaced.replaced = true;
        RedisTimer lost = claimed("c");
        assertThat(timers.release(cancelled)).isFalse();
        assertThat(timers.release(replaced)).isFalse();
        timers.lost();
        assertThat(timers.release(lost)).isFalse();
        assertThat(taken()).isZero();
        assertThat(letters()).isEqualTo("UUU");
    }

    @Test
    void claimsAreExtendedThreeTimesALease() {
        claimed("a");
        claimed("b").replaced = true;
        timers.extend(THIRD_NANOS - 1);
        assertThat(letters()).isEmpty();
        timers.extend(THIRD_NANOS);
        timers.extend(THIRD_NANOS);
        timers.extend(2 * THIRD_NANOS - 1);
        assertThat(letters()).isEqualTo("X");
        timers.extend(2 * THIRD_NANOS);
        assertThat(letters()).isEqualTo("XX");
    }

    /** Of this very process, which was held up: it is extended at once. */
    @Test
    void ownClaimThatHasRunOutIsNotTakenBack() {
        node.turn.begin(50);
        claimed("a");
        RedisTimer replaced = claimed("b");
        replaced.replaced = true;
        timers.reap(List.of(field("a"), field("b"), field("c")));
        assertThat(letters()).isEqualTo("RR");
        timers.extend(50);
        assertThat(letters()).isEqualTo("RRX");
    }

    /** The server may have granted it: else nobody could make the attempt until it has run out. */
    @Test
    void claimThatNobodyWantsAnyMoreIsGivenBackWhenItMayHaveBeenGranted() {
        for (boolean isKnown : new boolean[] {true, false}) {
            RedisTimer timer = loaded("k");
            partition.add(new ClaimCommand.Claim(timers, timer, TOKEN, Durability.MEMORY, granted::add));
            CommandBatch batch =
                    Objects.requireNonNull(partition.takeCommands(node.turn.nowNanos(), null, 1_000, 1_000_000));
            Reply.Outcome outcome = isKnown ? Reply.Outcome.UNAVAILABLE : Reply.Outcome.UNKNOWN;
            Reply reply = new Reply(outcome, null, "", 0);
            partition.landed(node.membership.beat(false), reply);
            partition.unanswered(batch, reply);
            timers.unload(timer);
            // What is not wanted any more is dropped with the first look, and leaves its last word for the next.
            String first = letters();
            assertThat(first + letters()).isEqualTo(isKnown ? "" : first.isEmpty() ? "U" : "UU");
            partition.expire(Long.MAX_VALUE / 2);
        }
        assertThat(granted).isEmpty();
    }

    private static ByteBuffer pendingAt(long attemptAtMs) {
        return ByteBuffer.allocate(30)
                .put((byte) 0)
                .putInt(1)
                .putLong(attemptAtMs)
                .put(new byte[7 + 8])
                .putShort((short) 0)
                .flip();
    }

    @Test
    void claimThatIsTooEarlyWaitsUnlessItsTimerWasPutOff() {
        RedisTimer early = loaded("early");
        new ClaimCommand.Claim(timers, early, TOKEN, Durability.MEMORY, granted::add).answered('E', pendingAt(DUE_MS));
        assertThat(node.loaded).containsExactly(early);
        RedisTimer putOff = loaded("later");
        new ClaimCommand.Claim(timers, putOff, TOKEN, Durability.MEMORY, granted::add)
                .answered('E', pendingAt(DUE_MS + 5));
        assertThat(node.loaded).containsExactly(early);
        assertThat(waitsFromMs()).isEqualTo(DUE_MS + 5);
    }

    @Test
    void extensionThatWasRefusedTellsThatTheClaimIsLost() {
        RedisTimer held = claimed("held");
        RedisTimer lost = claimed("lost");
        ClaimCommand.Extend first = new ClaimCommand.Extend(timers, held, 5, Durability.MEMORY, 1_000);
        ClaimCommand.Extend second = new ClaimCommand.Extend(timers, lost, 5, Durability.MEMORY, 1_000);
        node.turn.begin(900);
        first.answered('D', ByteBuffer.allocate(0));
        second.answered('S', ByteBuffer.allocate(0));
        assertThat(held.heldNanos).as("from when it was asked for").isEqualTo(5);
        assertThat(held.replaced).isFalse();
        assertThat(lost.replaced).isTrue();
        assertThat(timers.end(lost)).isFalse();
    }
}
