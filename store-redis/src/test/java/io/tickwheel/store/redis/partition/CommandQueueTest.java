package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Reply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order commands are sent, again too, and who hears that one was not. */
final class CommandQueueTest {

    private static final long MS = 1_000_000;
    private static final int ANY = 1_000;

    private final LoopNode node = new LoopNode();
    private final CommandQueue queue = new CommandQueue(node.context, 3);
    private final List<String> events = new ArrayList<>();

    private final class Wish extends TimerCommand {

        final String name;
        final boolean isOfAClient;
        boolean isWanted = true;
        int answerBytes;

        Wish(String name, boolean isOfAClient, Durability level, long deadlineNanos) {
            super(Text.bytes(name), level, deadlineNanos);
            this.name = name;
            this.isOfAClient = isOfAClient;
        }

        @Override
        boolean isWanted() {
            return isWanted;
        }

        @Override
        void dropped() {
            events.add(name + " dropped");
        }

        @Override
        boolean isOfAClient() {
            return isOfAClient;
        }

        @Override
        boolean changesForAClient() {
            return isOfAClient;
        }

        @Override
        int answerBytes() {
            return answerBytes;
        }

        @Override
        char letter() {
            return 'S';
        }

        @Override
        void answered(char letter, ByteBuffer rest) {
            events.add(name + " " + letter + rest.remaining());
        }

        @Override
        void failed(StoreException reason) {
            events.add(name + " " + named(reason));
        }
    }

    /** What a client can tell from it. */
    private static String named(StoreException reason) {
        if (reason instanceof StoreUnavailableException unavailable) {
            return "unavailable, " + known(unavailable.outcomeUnknown());
        }
        return reason instanceof StoreGoneException gone
                ? "gone, " + known(gone.outcomeUnknown())
                : String.valueOf(reason.getMessage());
    }

    private static String known(boolean isUnknown) {
        return isUnknown ? "perhaps applied" : "not applied";
    }

    private Wish client(String name) {
        return added(new Wish(name, true, Durability.MEMORY, Long.MAX_VALUE));
    }

    private Wish claim(String name) {
        return added(new Wish(name, false, Durability.MEMORY, Long.MAX_VALUE));
    }

    private Wish added(Wish wish) {
        queue.add(wish);
        return wish;
    }

    private CommandBatch take() {
        CommandBatch batch = queue.take("7", null, ANY, ANY);
        assertThat(batch).isNotNull();
        return batch;
    }

    private static List<String> names(CommandBatch batch) {
        return batch.commands().stream().map(each -> ((Wish) each).name).toList();
    }

    private static Reply reply(Reply.Outcome outcome) {
        return new Reply(outcome, null, "said so", 1);
    }

    private List<String> heard() {
        List<String> heard = List.copyOf(events);
        events.clear();
        return heard;
    }

    @Test
    void callHasAsManyAsItMayAndOfOneLevel() {
        client("a");
        client("b");
        client("c");
        added(new Wish("d", true, Durability.replicated(1), Long.MAX_VALUE));
        assertThat(names(queue.take("7", null, 2, ANY))).containsExactly("a", "b");
        assertThat(queue.take("7", Durability.replicated(1), ANY, ANY)).isNull();
        assertThat(names(take())).containsExactly("c");
        assertThat(names(queue.take("7", Durability.replicated(1), ANY, ANY))).containsExactly("d");
        assertThat(queue.take("7", null, ANY, ANY)).isNull();
    }

    @Test
    void callHasAsManyBytesAsItMayWithWhatIsAnswered() {
        Wish large = client("a");
        large.answerBytes = 90;
        client("b");
        client("c");
        // A letter, a length and a name are four bytes.
        CommandBatch batch = queue.take("7", null, ANY, 98);
        assertThat(names(batch)).containsExactly("a", "b");
        assertThat(batch.bytes()).isEqualTo(98);
    }

    @Test
    void whatIsNotWantedAnyMoreIsNotSent() {
        claim("a").isWanted = false;
        claim("b");
        claim("c").isWanted = false;
        assertThat(names(take())).containsExactly("b");
        assertThat(heard()).containsExactly("a dropped", "c dropped");
    }

    @Test
    void whatNeedsAnotherSliceOrItsTurnIsSentAgainBeforeAllOthers() {
        Wish first = client("a");
        client("b");
        client("c");
        client("d");
        CommandBatch batch = queue.take("7", null, 3, ANY);
        queue.answered(batch, 5, new Values(List.of(Text.bytes("Mn77"), Text.bytes("Kxy"), Text.bytes("A"))));
        assertThat(heard()).containsExactly("b K2");
        assertThat(first.missingSlice).isEqualTo("n77");
        CommandBatch again = take();
        assertThat(names(again)).containsExactly("a", "c", "d");
        assertThat(again.keys()).contains(node.layout.key(3, "zn77"));
        assertThat(again.slices()).isOne();
    }

    /** Records begin with their flags. */
    @Test
    void recordIsAGrant() {
        claim("a");
        claim("b");
        queue.answered(take(), 5, new Values(List.of(new byte[] {-128, 1}, new byte[] {-1})));
        assertThat(heard()).containsExactly("a G2", "b G1");
    }

    @Test
    void whatMayHaveBeenDoneIsSentAgainInItsOrder() {
        Wish first = client("a");
        claim("b");
        CommandBatch batch = take();
        client("c");
        assertThat(queue.hasRepeats()).isFalse();
        queue.unanswered(batch, reply(Reply.Outcome.UNKNOWN));
        assertThat(first.maybeApplied).isTrue();
        assertThat(queue.hasRepeats()).isTrue();
        assertThat(names(take())).containsExactly("a", "b", "c");
        assertThat(heard()).isEmpty();
    }

    @Test
    void whatWasNotDoneIsSentAgainInItsOrder() {
        for (Reply.Outcome outcome : List.of(Reply.Outcome.UNAVAILABLE, Reply.Outcome.FULL)) {
            Wish first = client("a");
            claim("b");
            queue.unanswered(take(), reply(outcome));
            assertThat(first.maybeApplied).isFalse();
            assertThat(names(take())).containsExactly("a", "b");
        }
        assertThat(heard()).isEmpty();
    }

    @Test
    void clientsHearOfARefusalAndTheOthersAreSentAgain() {
        client("a");
        claim("b");
        queue.unanswered(take(), reply(Reply.Outcome.REFUSED));
        assertThat(heard()).containsExactly("a unavailable, not applied");
        assertThat(names(take())).containsExactly("b");
    }

    /** What it wrote before stands. */
    @Test
    void clientsHearThatAScriptEndedInItsMiddle() {
        client("a");
        Wish claim = claim("b");
        String reason = "ERR can't run this command script: cac02f, on @user_script:828.";
        queue.unanswered(take(), new Reply(Reply.Outcome.REFUSED, null, reason, 1));
        assertThat(heard()).containsExactly("a unavailable, perhaps applied");
        assertThat(names(take())).containsExactly("b");
        assertThat(claim.maybeApplied).isTrue();
    }

    /** It was done, and a failover may take it back. */
    @Test
    void clientsHearThatTheirLevelWasNotReached() {
        client("a");
        Wish claim = claim("b");
        queue.unanswered(take(), reply(Reply.Outcome.UNMET));
        assertThat(heard()).containsExactly("a unavailable, perhaps applied");
        assertThat(names(take())).containsExactly("b");
        assertThat(claim.maybeApplied).isTrue();
    }

    @Test
    void whatIsPastItsDeadlineIsGivenUp() {
        added(new Wish("a", true, Durability.MEMORY, 10));
        added(new Wish("b", true, Durability.MEMORY, 11)).maybeApplied = true;
        client("c");
        queue.expire(9);
        assertThat(heard()).isEmpty();
        queue.expire(10);
        assertThat(heard()).containsExactly("a unavailable, not applied");
        queue.expire(Long.MAX_VALUE);
        assertThat(heard()).containsExactly("b unavailable, perhaps applied");
        assertThat(names(take())).containsExactly("c");
    }

    /** The clock of its server is behind that of the namespace. */
    @Test
    void claimThatIsTooEarlyIsSentAgainWhenItIsDue() {
        Wish claim = claim("a");
        queue.answered(take(), 1_000, new Values(List.of(Text.bytes("E"))));
        queue.tryAgainWhenDue(claim, 1_007);
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.hasWaiting()).isFalse();
        assertThat(queue.idleNanos(2 * MS)).isEqualTo(5 * MS);
        assertThat(queue.idleNanos(9 * MS)).isZero();
        queue.recall(7 * MS - 1);
        assertThat(queue.hasWaiting()).isFalse();
        client("b");
        queue.recall(7 * MS);
        assertThat(names(take())).containsExactly("a", "b");
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.idleNanos(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void claimIsNotSentAgainAtOnceNorAfterLong() {
        queue.tryAgainWhenDue(claim("a"), -5);
        assertThat(queue.idleNanos(0)).isEqualTo(MS / 2);
        queue.tryAgainWhenDue(claim("b"), 5);
        assertThat(queue.idleNanos(0)).as("that of the first").isEqualTo(MS / 2);
        queue.recall(MS / 2);
        queue.tryAgainWhenDue(claim("c"), 100_000);
        queue.recall(5 * MS);
        assertThat(queue.idleNanos(5 * MS)).isEqualTo(995 * MS);
    }

    @Test
    void clockOfTheServerIsAskedWhenAClaimIsMuchTooEarly() {
        node.knowTheTime();
        queue.tryAgainWhenDue(claim("a"), 999);
        assertThat(node.asksForTheTime()).isFalse();
        queue.tryAgainWhenDue(claim("b"), 1_000);
        assertThat(node.asksForTheTime()).isTrue();
    }

    @Test
    void claimThatIsNotWantedAnyMoreDoesNotWaitForItsTime() {
        Wish claim = new Wish("a", false, Durability.MEMORY, Long.MAX_VALUE);
        queue.tryAgainWhenDue(claim, 100);
        claim.isWanted = false;
        queue.recall(1);
        assertThat(queue.idleNanos(1)).isEqualTo(Long.MAX_VALUE);
        assertThat(queue.take("7", null, ANY, ANY)).isNull();
        assertThat(heard()).containsExactly("a dropped");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void clientsHearThatTheNamespaceIsGone() {
        client("a").maybeApplied = true;
        claim("b");
        client("c");
        queue.tryAgainWhenDue(new Wish("d", false, Durability.MEMORY, Long.MAX_VALUE), 5);
        queue.leave("it is gone");
        assertThat(heard()).containsExactly("a gone, perhaps applied", "c gone, not applied");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void allHearThatTheStoreHasFailed() {
        client("a");
        claim("b");
        take();
        queue.tryAgainWhenDue(new Wish("c", false, Durability.MEMORY, Long.MAX_VALUE), 5);
        client("d");
        queue.failAll(new StoreException("it failed"));
        assertThat(heard()).containsExactlyInAnyOrder("a it failed", "b it failed", "c it failed", "d it failed");
        assertThat(queue.isEmpty()).isTrue();
        queue.failAll(new StoreUnavailableException("again", true));
        assertThat(heard()).as("once").isEmpty();
    }

    @Test
    void whatIsAnsweredHearsOfNoFailure() {
        client("a");
        queue.answered(take(), 5, new Values(List.of(Text.bytes("K"))));
        queue.landed();
        queue.failAll(new StoreException("it failed"));
        assertThat(heard()).containsExactly("a K0");
    }
}
