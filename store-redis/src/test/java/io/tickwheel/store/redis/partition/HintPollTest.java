package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a node looks for near inserts of which it may not have heard. */
final class HintPollTest {

    private static final long MS = 1_000_000;

    private final LoopNode node = new LoopNode();
    private final List<Partition> partitions = IntStream.range(0, 4)
            .mapToObj(index -> new Partition(index, node.context))
            .toList();
    private final HintPoll poll = new HintPoll(partitions, node.link);

    private void own(int index) {
        partitions.get(index).want(true);
        partitions.get(index).drive(0);
        node.link.answer(List.of(0L, Text.bytes("7")));
        assertThat(partitions.get(index).isOwned()).isTrue();
        partitions.get(index).drive(0);
        node.link.answer(LoopNode.nothingToTend());
    }

    /** How many calls it sends then. */
    private int calls(long nowNanos) {
        poll.work(nowNanos);
        return node.link.sent.size();
    }

    @Test
    void itLooksSeldomWhileMessagesComeAndElseOften() {
        own(1);
        assertThat(calls(0)).isOne();
        node.link.answer(0L);
        assertThat(calls(1_000 * MS - 1)).isZero();
        assertThat(calls(1_000 * MS)).isOne();
        node.link.answer(0L);
        node.link.hears = false;
        assertThat(calls(1_100 * MS)).as("it waits no longer than it would").isZero();
        assertThat(calls(1_180 * MS - 1)).isZero();
        assertThat(calls(1_180 * MS)).isOne();
        node.link.answer(0L);
        assertThat(calls(1_260 * MS - 1)).isZero();
        assertThat(calls(1_260 * MS)).isOne();
        assertThat(calls(9_000 * MS)).as("one at a time").isOne();
    }

    @Test
    void nothingIsAskedWhereNothingIsOwned() {
        assertThat(calls(0)).isZero();
    }

    /** One call asks for all of them, and only when there are some each is asked. */
    @Test
    void onOneServerAllAreAskedForTogether() {
        own(0);
        own(2);
        assertThat(calls(0)).isOne();
        Call all = node.link.sent.get(0);
        assertThat(all.command).isEqualTo("EXISTS");
        assertThat(all.keys).containsExactly(node.layout.key(0, "n"), node.layout.key(2, "n"));
        node.link.answer(1L);
        assertThat(node.link.sent).hasSize(2);
        assertThat(node.link.sent.get(1).keys).containsExactly(node.layout.key(2, "n"));
        assertThat(calls(5_000 * MS)).as("while these are under way").isEqualTo(2);
        node.link.answer(0L);
        assertThat(isTended(0, 0)).as("of what has none").isFalse();
        node.link.answer(1L);
        assertThat(isTended(2, 0)).isTrue();
        assertThat(isTended(0, 0)).isFalse();
    }

    @Test
    void onAClusterEachIsAsked() {
        node.link.isCluster = true;
        own(0);
        own(2);
        assertThat(calls(0)).isEqualTo(2);
        assertThat(node.link.sent.get(0).slot).isEqualTo(node.layout.slot(0));
        assertThat(node.link.sent.get(1).slot).isEqualTo(node.layout.slot(2));
    }

    @Test
    void whatWasNotAnsweredSaysNothing() {
        own(0);
        calls(0);
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(isTended(0, 0)).isFalse();
        assertThat(calls(1_000 * MS)).isOne();
    }

    /** Whether it has a call of its owner to send, though its lease was renewed just now. */
    private boolean isTended(int index, long nowNanos) {
        Partition partition = partitions.get(index);
        int before = node.link.sent.size();
        partition.drive(nowNanos);
        return node.link.sent.size() > before;
    }
}
