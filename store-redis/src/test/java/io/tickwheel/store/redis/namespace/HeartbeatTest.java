package io.tickwheel.store.redis.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.HeldCalls;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a node beats, and what it takes of what stands under its name. */
final class HeartbeatTest {

    private static final long MS = 1_000_000;
    private static final long LEASE_MS = 4_000;
    private static final int LEAVES_AT = 3;
    private static final String ID = "1".repeat(32);

    private final Layout layout = new Layout("t", 64);
    private final HeldCalls link = new HeldCalls();
    private final NamespaceWatch namespace =
            new NamespaceWatch(layout, new FormatCheck(link, layout, Duration.ofMillis(LEASE_MS)), link);
    private final Membership membership = new Membership(layout, namespace, "n", 0xabcL, LEASE_MS, 5);

    HeartbeatTest() {
        namespace.opened(ID);
    }

    private boolean beats(long nowNanos) {
        int before = link.sent.size();
        membership.work(nowNanos, link);
        return link.sent.size() > before;
    }

    private void alone() {
        link.answer(List.of(1L, 0L, List.of(Text.bytes("n")), List.of(Text.bytes("3:abc"))));
    }

    /** Another incarnation stands under the name. */
    private void held(String incarnation, String beatMs) {
        link.answer(List.of(1L, 1L, Text.bytes(incarnation), Text.bytes(beatMs)));
    }

    @Test
    void itBeatsFourTimesInALeaseAndOnceAtATime() {
        assertThat(beats(4)).isFalse();
        assertThat(beats(5)).isTrue();
        assertThat(beats(5 + 2_000 * MS)).as("before it is answered").isFalse();
        alone();
        assertThat(beats(5 + 1_000 * MS - 1)).isFalse();
        assertThat(beats(5 + 1_000 * MS)).isTrue();
    }

    @Test
    void itBeatsSoonWhenSomethingHasChanged() {
        beats(5);
        alone();
        membership.hurry(9);
        assertThat(beats(9)).isTrue();
    }

    @Test
    void doubtHurriesOneBeat() {
        beats(5);
        alone();
        membership.hurryOnce(6);
        assertThat(beats(6)).as("without a doubt").isFalse();
        namespace.doubt();
        membership.hurryOnce(7);
        assertThat(beats(7)).isTrue();
        alone();
        membership.hurryOnce(8);
        assertThat(beats(8)).as("for the same doubt").isFalse();
        namespace.doubt();
        membership.hurryOnce(9);
        assertThat(beats(9)).isTrue();
    }

    /** All else waits for it. */
    @Test
    void whileTheNamespaceIsInDoubtAFailedBeatIsRepeatedSoon() {
        beats(5);
        link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(beats(5 + 1_000 * MS - 1)).as("while it is there").isFalse();
        assertThat(beats(5 + 1_000 * MS)).isTrue();
        namespace.doubt();
        link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(beats(5 + 1_100 * MS - 1)).isFalse();
        assertThat(beats(5 + 1_100 * MS)).isTrue();
    }

    @Test
    void lastBeatSaysThatItLeaves() {
        beats(5);
        assertThat(Text.string(link.sent.get(0).arguments.get(LEAVES_AT))).isEqualTo("0");
        alone();
        membership.leave(20);
        assertThat(beats(20)).isTrue();
        Call last = link.sent.get(0);
        assertThat(Text.string(last.arguments.get(LEAVES_AT))).isEqualTo("1");
        alone();
        assertThat(membership.owner(0)).as("it does not count itself").isEmpty();
    }

    /** One that only stands there may have been dead for long. */
    @Test
    void nameIsTakenWhenAnotherHeartIsSeenBeating() {
        beats(5);
        held("3:def", "100");
        assertThat(membership.isHeld()).isTrue();
        assertThat(membership.isTaken()).isFalse();
        beats(5 + 1_000 * MS);
        held("3:def", "100");
        assertThat(membership.isTaken()).as("it does not beat").isFalse();
        beats(5 + 2_000 * MS);
        held("3:def", "1100");
        assertThat(membership.isTaken()).isTrue();
        membership.forgetTaken();
        beats(5 + 3_000 * MS);
        alone();
        assertThat(membership.isHeld()).isFalse();
        assertThat(membership.isTaken()).isFalse();
        assertThat(membership.owner(0)).isEqualTo("n");
    }

    @Test
    void whoLeavesDoesNotMindWhoHasItsName() {
        membership.leave(5);
        beats(5);
        held("3:def", "100");
        membership.hurry(6);
        beats(6);
        held("3:def", "1100");
        assertThat(membership.isTaken()).isFalse();
    }

    @Test
    void beatThatFindsTheNamespaceEndsADoubt() {
        namespace.doubt();
        beats(5);
        namespace.doubt();
        alone();
        assertThat(namespace.isThere()).as("it was sent before the last doubt").isFalse();
        beats(5 + 1_000 * MS);
        held("3:def", "100");
        assertThat(namespace.isThere()).isTrue();
    }

    @Test
    void beatThatFindsAnotherNamespaceSaysSo() {
        beats(5);
        link.answer(List.of(1L, 2L, Text.bytes("2".repeat(32)), Text.bytes(""), Text.bytes("")));
        assertThat(namespace.gone()).contains("another one, 222");
        assertThat(link.sent).isEmpty();
        beats(5 + 1_000 * MS);
        link.answer(List.of(1L, 2L, Text.bytes("2".repeat(32)), Text.bytes(""), Text.bytes("1")));
        assertThat(link.sent).as("the loss is accepted: it reads the settings").hasSize(1);
    }

    @Test
    void beatThatFindsOthersWithAnotherLeaseStopsAllElseUntilTheyHaveLeft() {
        beats(5);
        link.answer(List.of(1L, 3L, Text.bytes("1500"), Text.bytes("a"), Text.bytes("b")));
        assertThat(membership.otherLeaseMs()).isEqualTo(1_500);
        assertThat(namespace.isThere()).isFalse();
        assertThat(namespace.gone())
                .isEqualTo("namespace t is used by nodes with lease PT1.5S, this one has PT4S: give all nodes the same,"
                        + " or stop these first: a, b");
        beats(5 + 1_000 * MS);
        alone();
        assertThat(membership.otherLeaseMs()).isZero();
        assertThat(namespace.isThere()).isTrue();
        assertThat(namespace.gone()).isNull();
    }

    @Test
    void changesAreThoseOfTheNodesThatAreAlive() {
        beats(5);
        alone();
        assertThat(membership.changes()).isOne();
        beats(5 + 1_000 * MS);
        alone();
        assertThat(membership.changes()).isOne();
    }

    /** Else two nodes of which one was upgraded would each take what the other is to own. */
    @Test
    void partitionsGoToTheSameNodesInAllVersions() {
        List<byte[]> names = List.of(Text.bytes("a"), Text.bytes("b"), Text.bytes("c"), Text.bytes("d"));
        beats(5);
        link.answer(List.of(1L, 0L, names, names));
        StringBuilder owners = new StringBuilder();
        for (int p = 0; p < 16; p++) {
            owners.append(membership.owner(p));
        }
        assertThat(owners).hasToString("abdbcbbdbcbadabb");
    }
}
