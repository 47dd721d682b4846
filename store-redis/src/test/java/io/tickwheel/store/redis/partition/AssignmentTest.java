package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Reply;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which partitions a node takes, and when it gives them to others. */
final class AssignmentTest {

    private static final int PARTITIONS = 8;
    private static final long STEP_NANOS = 50_000_000;

    private final LoopNode node = new LoopNode();
    private final List<Partition> partitions = IntStream.range(0, PARTITIONS)
            .mapToObj(index -> new Partition(index, node.context))
            .toList();
    private final Assignment assignment = new Assignment(node.membership, partitions);

    private void alive(String... nodes) {
        List<byte[]> names = Arrays.stream(nodes).map(Layout::bytes).toList();
        node.membership.beat(false).answered(new Reply(Reply.Outcome.DONE, List.of(1L, 0L, names, names), "", 1));
    }

    private void ownAll() {
        for (Partition each : partitions) {
            each.drive(0);
            node.link.answer(List.of(0L, Text.bytes("7")));
        }
    }

    private long wanted() {
        return partitions.stream().filter(Partition::isWanted).count();
    }

    /** How many are another node's. */
    private int ofOthers() {
        return (int) IntStream.range(0, PARTITIONS)
                .filter(index -> !node.membership.owner(index).equals("n"))
                .count();
    }

    @Test
    void nothingIsTakenBeforeTheNodesAreKnown() {
        assignment.work(0);
        assertThat(assignment.isKnown()).isFalse();
        assertThat(wanted()).isZero();
        alive("n");
        assignment.work(0);
        assertThat(assignment.isKnown()).isTrue();
        assertThat(wanted()).isEqualTo(PARTITIONS);
        assertThat(assignment.idleNanos(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatAnotherNodeIsToOwnIsGivenAwayInSteps() {
        alive("n");
        assignment.work(0);
        ownAll();
        alive("m", "n");
        int given = ofOthers();
        assertThat(given).isBetween(2, PARTITIONS - 1);
        long nowNanos = 7;
        for (int step = 1; step <= given; step++) {
            assignment.work(nowNanos);
            assertThat(wanted()).isEqualTo(PARTITIONS - step);
            assignment.work(nowNanos + STEP_NANOS - 1);
            assertThat(wanted()).as("before the next step").isEqualTo(PARTITIONS - step);
            assertThat(assignment.idleNanos(nowNanos + 10)).isEqualTo(step == given ? Long.MAX_VALUE : STEP_NANOS - 10);
            nowNanos += STEP_NANOS;
        }
        assertThat(assignment.idleNanos(nowNanos)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void stepThatIsOverdueIsTakenAtOnce() {
        alive("n");
        assignment.work(0);
        ownAll();
        alive("m", "n");
        assignment.work(0);
        assertThat(assignment.idleNanos(2 * STEP_NANOS)).isZero();
    }

    /** The other node has died before it had them. */
    @Test
    void whatWasToBeGivenAwayIsKeptWhenTheOtherNodeIsGone() {
        alive("n");
        assignment.work(0);
        ownAll();
        alive("m", "n");
        assignment.work(0);
        alive("n");
        for (int step = 0; step < PARTITIONS; step++) {
            assignment.work(step * STEP_NANOS);
        }
        assertThat(wanted()).isEqualTo(PARTITIONS);
    }

    @Test
    void whatIsNotOwnedYetIsNotWaitedForToBeGivenAway() {
        alive("n");
        assignment.work(0);
        alive("m", "n");
        assignment.work(0);
        assertThat(wanted()).isEqualTo(PARTITIONS - ofOthers());
    }

    @Test
    void nodeThatClosesGivesAllAwayAndTakesNothing() {
        alive("n");
        assignment.work(0);
        ownAll();
        assignment.end();
        assertThat(wanted()).isZero();
        alive("m", "n");
        alive("n");
        assignment.work(STEP_NANOS);
        assertThat(wanted()).isZero();
        assertThat(assignment.idleNanos(0)).isEqualTo(Long.MAX_VALUE);
    }
}
