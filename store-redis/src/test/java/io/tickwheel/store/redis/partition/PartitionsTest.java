package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.loading.RedisLane;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All partitions of a node in their turns, and the calls that carry commands, while each reply comes when a test says so. */
final class PartitionsTest {

    private static final long MS = 1_000_000;
    private static final TimerKey KEY = new TimerKey("q", "k");
    private static final byte[] FIELD = Layout.field(KEY);
    private static final int NUMBER_AT = 5;

    private final LoopNode node = new LoopNode();
    private final Partitions partitions = new Partitions(node.context);
    private final Commands commands = new Commands(node.context, partitions, 1);
    private final List<StoreException> failures = new ArrayList<>();

    /** What was told of ends of claims. */
    private final List<Boolean> counted = new ArrayList<>();

    private <T> Answer<T> failing() {
        return new Answer<>() {
            @Override
            public void accept(T result) {
                throw new AssertionError("nothing is carried out");
            }

            @Override
            public void fail(StoreException failure) {
                failures.add(failure);
            }
        };
    }

    private void cancel() {
        commands.cancel(KEY, FIELD, null, null, this.<Cancelled>failing(), () -> {});
    }

    private void turn(long nowNanos) {
        node.turn.begin(nowNanos);
        partitions.work();
    }

    private Call sent() {
        assertThat(node.link.sent).hasSize(1);
        return node.link.sent.get(0);
    }

    private RedisTimer claimed() {
        RedisLane lane = node.context.lanes.of(new Lane("q", Lane.QUEUE_ROUTE));
        RedisTimer timer = new RedisTimer(node.layout.partition(FIELD), lane, FIELD, 4, 1);
        timer.state = RedisTimer.State.CLAIMED;
        return timer;
    }

    private boolean finish(RedisTimer timer, TimerState outcome) {
        return commands.finish(timer, outcome, null, counted::add);
    }

    // ---- calls with commands

    @Test
    void loopIsWokenWhenAPauseOfCommandsEnds() {
        cancel();
        turn(0);
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(partitions.idleNanos()).isEqualTo(5 * MS / 2);
    }

    @Test
    void callMayBeCarriedOutAsLongAsTheFirstOfItsClientsWaits() {
        cancel();
        node.turn.begin(6_000 * MS);
        cancel();
        turn(6_000 * MS);
        assertThat(Text.string(sent().arguments.get(0))).isEqualTo(Long.toString(LoopNode.TIMEOUT.toMillis()));
    }

    /** Whichever partition it is of; the two have one sender. */
    @Test
    void callOfManyPartitionsMayBeCarriedOutAsLongAsTheFirstOfItsClientsWaits() {
        cancelIn(0);
        node.turn.begin(6_000 * MS);
        cancelIn(4);
        turn(6_000 * MS);
        assertThat(Text.string(sent().arguments.get(0))).isEqualTo(Long.toString(LoopNode.TIMEOUT.toMillis()));
    }

    /** Cancels a timer of a partition. */
    private void cancelIn(int partition) {
        for (int i = 0; ; i++) {
            TimerKey key = new TimerKey("q", "k" + i);
            byte[] field = Layout.field(key);
            if (node.layout.partition(field) == partition) {
                commands.cancel(key, field, null, null, this.<Cancelled>failing(), () -> {});
                return;
            }
        }
    }

    @Test
    void pauseOfCommandsIsTheShortestAgainAfterAReply() {
        finish(claimed(), TimerState.DEAD);
        turn(0);
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        turn(10 * MS);
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(partitions.idleNanos()).isEqualTo(5 * MS);
        turn(20 * MS);
        answerEnd("D");
        finish(claimed(), TimerState.DEAD);
        turn(20 * MS);
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(partitions.idleNanos()).isEqualTo(5 * MS / 2);
    }

    @Test
    void callThatCameTooLateHasTheTimeAsked() {
        node.knowTheTime();
        cancel();
        turn(0);
        node.link.answer(List.of(0L));
        assertThat(node.asksForTheTime()).isTrue();
    }

    @Test
    void whoWaitsInVainLearnsItInTime() {
        cancel();
        turn(0);
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        turn(LoopNode.TIMEOUT.toNanos() - 1);
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(failures).isEmpty();
        turn(LoopNode.TIMEOUT.toNanos() + 5_000 * MS);
        assertThat(failures).singleElement().isInstanceOf(StoreUnavailableException.class);
        assertThat(node.link.sent).isEmpty();
    }

    // ---- what commands say

    private static Durability levelOf(Consumer<Commands> command) {
        LoopNode node = new LoopNode();
        Partitions partitions = new Partitions(node.context);
        command.accept(new Commands(node.context, partitions, 1));
        partitions.work();
        assertThat(node.link.sent).hasSize(1);
        return node.link.sent.get(0).level;
    }

    @Test
    void commandsAreAsDurableAsTheyAsk() {
        Durability asked = Durability.replicated(1);
        assertThat(levelOf(each -> each.cancel(KEY, FIELD, null, asked, failing(), () -> {})))
                .isEqualTo(asked);
        assertThat(levelOf(each -> each.cancel(KEY, FIELD, null, null, failing(), () -> {})))
                .isEqualTo(Durability.MEMORY);
        CompleteCommand complete = new CompleteCommand(KEY, "0-1", 1, 7, new PastAttempt(1, 2, 0, 0, 0, ""), asked);
        assertThat(levelOf(each -> each.complete(complete, FIELD, failing(), () -> {})))
                .isEqualTo(asked);
    }

    @Test
    void cancelledTimerIsNotTriedAgain() {
        RedisTimer cancelled = claimed();
        cancelled.cancelled = true;
        assertThat(commands.retry(cancelled, 5, null)).isFalse();
        RedisTimer goesOn = claimed();
        assertThat(commands.retry(goesOn, 5, null)).isTrue();
        RedisTimer dies = claimed();
        dies.cancelled = true;
        assertThat(finish(dies, TimerState.DEAD)).isFalse();
        RedisTimer succeeds = claimed();
        succeeds.cancelled = true;
        assertThat(finish(succeeds, TimerState.COMPLETED)).isTrue();
    }

    /** 64 bits of milliseconds have no slice. */
    @Test
    void pauseWithoutEndEndsAtTheFarthestTime() {
        assertThat(commands.postpone(claimed(), Long.MAX_VALUE)).isTrue();
        turn(0);
        List<byte[]> keys = sent().keys;
        assertThat(Text.string(keys.get(keys.size() - 1)))
                .endsWith(":" + Layout.sliceKey(Layout.slice(true, Layout.FARTHEST_MS)));
    }

    @Test
    void nothingIsSentOfAClaimWhenTheStoreHasFailed() {
        commands.fail();
        commands.reroute(claimed(), 9);
        assertThat(finish(claimed(), TimerState.COMPLETED)).isFalse();
        turn(0);
        assertThat(node.link.sent).isEmpty();
    }

    /** The server may be away for long, and then the timer would be delivered again. */
    @Test
    void endOfAClaimIsTriedForAMinute() {
        RedisTimer timer = claimed();
        assertThat(finish(timer, TimerState.COMPLETED)).isTrue();
        Partition partition = partitions.get(timer.partition);
        partition.expire(60_000 * MS - 1);
        assertThat(partition.hasWaiting()).isTrue();
        partition.expire(60_000 * MS);
        assertThat(partition.hasWaiting()).isFalse();
    }

    private void answerEnd(String answer) {
        node.link.answer(List.of(0L, 0L, answer.getBytes(ISO_8859_1)));
    }

    /** Somebody else may have cancelled the timer, and only the server knows. */
    @Test
    void endOfAClaimIsToldAsTheServerHasIt() {
        assertThat(finish(claimed(), TimerState.DEAD)).isTrue();
        turn(0);
        assertThat(counted).isEmpty();
        answerEnd("D");
        assertThat(counted).containsExactly(true);
        assertThat(finish(claimed(), TimerState.EXPIRED)).isTrue();
        turn(0);
        answerEnd("S");
        assertThat(counted).containsExactly(true, false);
        finish(claimed(), TimerState.DEAD);
        turn(0);
        // It died of another claim, in the hands of another node.
        answerEnd("S\4");
        assertThat(counted).containsExactly(true, false, false);
    }

    @ParameterizedTest
    @CsvSource({"4, true", "3, false", "5, false", "0, false", ", false"})
    void endWhoseReplyWasLostCountsWhenItStandsThere(@Nullable Integer state, boolean counts) {
        finish(claimed(), TimerState.DEAD);
        turn(0);
        node.link.fail(Reply.Outcome.UNKNOWN);
        turn(1_000 * MS);
        assertThat(counted).isEmpty();
        answerEnd("S" + (state == null ? "" : (char) state.intValue()));
        assertThat(counted).containsExactly(counts);
    }

    @Test
    void endThatIsGivenUpDoesNotCount() {
        RedisTimer timer = claimed();
        finish(timer, TimerState.DEAD);
        partitions.get(timer.partition).expire(60_000 * MS);
        assertThat(counted).containsExactly(false);
        finish(claimed(), TimerState.DEAD);
        partitions.leave("the namespace is gone");
        assertThat(counted).containsExactly(false, false);
        finish(claimed(), TimerState.DEAD);
        partitions.failAll(new StoreException("it has failed"));
        assertThat(counted).containsExactly(false, false, false);
        RedisTimer replaced = claimed();
        replaced.replaced = true;
        finish(replaced, TimerState.DEAD);
        assertThat(counted).containsExactly(false, false, false, false);
        turn(0);
        assertThat(node.link.sent).isEmpty();
    }

    /** A copy of it that comes late would give back what was claimed since. */
    @Test
    void lastWordOnAClaimHasANumber() {
        assertThat(commands.postpone(claimed(), 5)).isTrue();
        turn(0);
        assertThat(Text.string(sent().arguments.get(NUMBER_AT))).isEqualTo("1");
    }

    /** Each partition remembers its part, rounded up. */
    @Test
    void fewFinishedTimersAreRememberedToo() {
        NodeContext few = new NodeContext(
                new NodeSettings(Durability.MEMORY, LoopNode.LEASE, LoopNode.TIMEOUT, 3),
                "s",
                node.layout,
                node.link,
                node,
                () -> 0,
                node.turn,
                node.time,
                node.membership,
                node.namespace);
        assertThat(Text.string(few.rememberedText)).isEqualTo("1");
    }

    // ---- partitions

    private void own(int index) {
        partitions.get(index).want(true);
        turn(0);
        Call own = node.link.sent.stream()
                .filter(call -> Objects.requireNonNull(call.script).name().equals("own"))
                .findFirst()
                .orElseThrow();
        own.answered(new Reply(Reply.Outcome.DONE, List.of(0L, Text.bytes("7")), "", 1));
        node.link.sent.clear();
        assertThat(partitions.get(index).isOwned()).isTrue();
    }

    @Test
    void closingNodeGivesBackWhateverItOwns() {
        own(2);
        own(5);
        assertThat(partitions.farewells())
                .hasSize(2)
                .allSatisfy(call ->
                        assertThat(Objects.requireNonNull(call.script).name()).isEqualTo("release"));
    }

    @Test
    void hintsOfPartitionsThatThereAreNotArePassedOver() {
        partitions.hint(-1);
        partitions.hint(node.layout.partitions);
        turn(0);
        assertThat(node.link.sent).isEmpty();
    }
}
