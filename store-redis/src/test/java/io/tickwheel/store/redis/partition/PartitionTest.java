package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import io.tickwheel.store.redis.loading.Loading;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What an owner sends, and what it concludes from the answers. */
final class PartitionTest {

    private static final long MS = 1_000_000;
    private static final int INDEX = 3;
    private static final int FROM_AT = 4;
    private static final int NUMBER_AT = 12;

    /** In what is asked to own it. */
    private static final int MADE_AT = 3;

    /** In a heartbeat. */
    private static final int GONE_AT = 8;

    private static final String BEGINNING = Long.toString(Loading.BEGINNING_MS);

    private final LoopNode node = new LoopNode();
    private final Partition partition = new Partition(INDEX, node.context);

    /** Sends what is next; empty for nothing. */
    private String next(long nowNanos) {
        int before = node.link.sent.size();
        node.turn.begin(nowNanos);
        partition.drive(nowNanos);
        return node.link.sent.size() == before ? "" : name(last());
    }

    private Call last() {
        return node.link.sent.get(node.link.sent.size() - 1);
    }

    private static String name(Call call) {
        return Objects.requireNonNull(call.script).name();
    }

    private void own() {
        partition.want(true);
        assertThat(next(0)).isEqualTo("own");
        node.link.answer(List.of(0L, Text.bytes("7")));
        assertThat(partition.isOwned()).isTrue();
    }

    private void ownAndTend() {
        own();
        assertThat(next(0)).isEqualTo("tend");
        node.link.answer(LoopNode.nothingToTend());
    }

    private void answer(Reply.Outcome outcome, long connection, Object value) {
        node.link.sent.remove(0).answered(new Reply(outcome, value, "said so", connection));
    }

    @Test
    void whatAnotherNodeHasIsAskedForNowAndThen() {
        assertThat(next(0)).as("not wanted").isEmpty();
        partition.want(true);
        assertThat(next(0)).isEqualTo("own");
        assertThat(next(600 * MS)).as("one call at a time").isEmpty();
        node.link.answer(List.of(0L, Text.bytes(""), Text.bytes("another")));
        assertThat(partition.isOwned()).isFalse();
        assertThat(next(500 * MS - 1)).isEmpty();
        assertThat(next(500 * MS)).isEqualTo("own");
        node.link.answer(List.of(0L, Text.bytes(""), Text.bytes("another")));
        node.turn.begin(600 * MS);
        partition.hint();
        assertThat(next(600 * MS)).as("it was given back").isEqualTo("own");
    }

    @Test
    void serverThatIsAwayIsAskedAgainAfterAPause() {
        partition.want(true);
        next(0);
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(partition.idleNanos(0)).isEqualTo(5 * MS / 2);
        assertThat(next(500 * MS)).isEqualTo("own");
    }

    @Test
    void whatIsNotWantedAnyMoreWhenItIsGrantedIsGivenBack() {
        partition.want(true);
        next(0);
        partition.want(false);
        node.link.answer(List.of(0L, Text.bytes("7")));
        assertThat(partition.isOwned()).isFalse();
        assertThat(next(0)).isEqualTo("release");
        node.link.answer(1L);
        assertThat(partition.farewell()).isNull();
    }

    @Test
    void whatIsOwnedIsGivenBack() {
        ownAndTend();
        assertThat(name(Objects.requireNonNull(partition.farewell()))).isEqualTo("release");
        partition.want(false);
        assertThat(partition.isOwned()).isFalse();
        assertThat(next(0)).isEqualTo("release");
        assertThat(Text.string(last().arguments.get(0))).isEqualTo("7");
        node.link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(next(0)).isEmpty();
        assertThat(next(5 * MS)).as("after a pause").isEqualTo("release");
        node.link.fail(Reply.Outcome.UNKNOWN);
        assertThat(next(6 * MS)).as("else the lease runs out").isEmpty();
        assertThat(partition.farewell()).isNull();
    }

    @Test
    void ownerComesByTwiceALeaseAndWhenSomethingWaits() {
        ownAndTend();
        long periodNanos = LoopNode.LEASE.toNanos() / 5 * 2;
        long phaseNanos = periodNanos / 8 * INDEX;
        assertThat(next(phaseNanos - 1)).isEmpty();
        partition.hint();
        assertThat(next(phaseNanos - 1)).isEqualTo("tend");
        node.link.answer(LoopNode.nothingToTend());
        assertThat(next(phaseNanos)).isEqualTo("tend");
        assertThat(Text.string(last().arguments.get(NUMBER_AT)))
                .as("number of the call")
                .isEqualTo("3");
        node.link.answer(LoopNode.nothingToTend());
        assertThat(next(phaseNanos + periodNanos - 1)).isEmpty();
        assertThat(next(phaseNanos + periodNanos)).isEqualTo("tend");
    }

    @Test
    void whoseLeaseAnotherNodeTookOwnsItNoMore() {
        own();
        next(0);
        node.link.answer(List.of(0L, 1L));
        assertThat(partition.isOwned()).isFalse();
        assertThat(next(1)).isEqualTo("own");
    }

    @Test
    void callThatCameTooLateIsRepeatedAfterAPause() {
        node.knowTheTime();
        own();
        next(0);
        assertThat(node.link.sent).hasSize(1);
        node.link.answer(List.of(0L, 2L));
        assertThat(partition.isOwned()).isTrue();
        assertThat(next(1)).isEmpty();
        assertThat(partition.idleNanos(0)).isEqualTo(5 * MS / 2);
        assertThat(node.asksForTheTime()).as("the clock may have been stepped").isTrue();
        assertThat(next(5 * MS)).isEqualTo("tend");
    }

    /** It was said once that they wait, and the call that was to take them did nothing. */
    @Test
    void nearInsertsAreTakenThoughACallForThemCameTooLate() {
        node.knowTheTime();
        ownAndTend();
        partition.hint();
        assertThat(next(MS)).isEqualTo("tend");
        node.link.answer(List.of(0L, 2L));
        assertThat(next(6 * MS)).as("after a pause").isEqualTo("tend");
        node.link.answer(LoopNode.nothingToTend());
        assertThat(next(7 * MS)).as("then the period goes on").isEmpty();
    }

    /** A failover may have lost what was owned first just before; else the data are gone. */
    @Test
    void namespaceIsInDoubtWhenThereIsNoTraceOfAPartition() {
        ownAndTend();
        partition.hint();
        next(1);
        answer(Reply.Outcome.DONE, 1, List.of(0L, 3L));
        assertThat(partition.isOwned()).isFalse();
        assertThat(node.namespace.isThere()).isFalse();
        assertThat(namedGone()).isEqualTo("" + INDEX);
    }

    @Test
    void otherServerWithoutATraceIsNotSaidToHaveLostIt() {
        ownAndTend();
        partition.hint();
        next(1);
        answer(Reply.Outcome.DONE, 2, List.of(0L, 3L));
        assertThat(partition.isOwned()).isFalse();
        assertThat(node.namespace.isThere()).isFalse();
        assertThat(namedGone()).isEmpty();
    }

    /** What it had is lost, though this node has never owned it. */
    @Test
    void partitionThatWasMadeAndIsNotThereIsToldByWhoeverIsToTakeIt() {
        partition.want(true);
        beat("0001");
        assertThat(next(0)).isEqualTo("own");
        assertThat(Text.string(last().arguments.get(MADE_AT))).isEqualTo("1");
        node.link.answer(List.of(0L));
        assertThat(partition.isOwned()).isFalse();
        assertThat(node.namespace.isThere()).isFalse();
        assertThat(namedGone()).isEqualTo("" + INDEX);
    }

    /** Else an operator would have to accept the same loss a second time. */
    @Test
    void lossThatWasAcceptedMeanwhileIsNotToldAgain() {
        partition.want(true);
        beat("0001");
        next(0);
        Call own = node.link.sent.remove(0);
        beat(List.of(0L, 2L, Text.bytes("1"), Text.bytes("3"), Text.bytes("")));
        assertThat(node.namespace.isThere()).isFalse();
        beat("0001");
        assertThat(node.namespace.isThere()).isTrue();
        own.answered(new Reply(Reply.Outcome.DONE, List.of(0L), "", 1));
        assertThat(node.namespace.isThere()).isTrue();
        assertThat(next(500 * MS)).as("it asks again").isEqualTo("own");
    }

    @Test
    void partitionIsMadeForGoodOnceItWasOwnedForFiveLeases() {
        ownAndTend();
        assertThat(Text.string(last(node.membership.beat(false).arguments))).isEmpty();
        long later = 5 * LoopNode.LEASE.toNanos();
        for (long extra = 0; extra < 2; extra++) {
            partition.hint();
            assertThat(next(later + extra)).isEqualTo("tend");
            node.link.answer(LoopNode.nothingToTend());
            assertThat(Text.string(last(node.membership.beat(false).arguments)))
                    .isEqualTo(extra == 0 ? "" : "" + INDEX);
        }
        beat("0001");
        assertThat(Text.string(last(node.membership.beat(false).arguments)))
                .as("once it is written down")
                .isEmpty();
    }

    /** A heartbeat tells which partitions were made for good. */
    private void beat(String made) {
        beat(List.of(0L, 0L, List.of(Text.bytes("n")), List.of(Text.bytes("3:1")), Text.bytes(made)));
    }

    private void beat(List<?> answer) {
        node.membership.beat(false).answered(new Reply(Reply.Outcome.DONE, answer, "", 1));
    }

    private static byte[] last(List<byte[]> arguments) {
        return arguments.get(arguments.size() - 1);
    }

    /** The partition that the next heartbeat names as gone. */
    private String namedGone() {
        return Text.string(node.membership.beat(false).arguments.get(GONE_AT));
    }

    // ---- what is loaded

    /** From when on the next call looks for timers. */
    private String loadsFrom(long nowNanos) {
        partition.hint();
        assertThat(next(nowNanos)).isEqualTo("tend");
        return Text.string(last().arguments.get(FROM_AT));
    }

    /** All that is due up to a time was looked at. */
    private void load() {
        own();
        // So long ago that nothing is late.
        node.turn.load(Loading.BEGINNING_MS);
        partition.loading.want(1_000);
        node.context.budget.begin(1_000, 1);
        assertThat(loadsFrom(0)).isEqualTo(BEGINNING);
        node.link.answer(lookedTo(500));
        assertThat(loadsFrom(1)).isEqualTo("500");
    }

    private static List<?> lookedTo(long reachedMs) {
        byte[] none = {};
        List<?> empty = List.of();
        return List.of(0L, 0L, 0L, empty, empty, none, empty, empty, reachedMs, none, 0L, empty, empty, empty);
    }

    /** Else it would be asked for again and again. */
    @Test
    void pieceThatCameToNothingIsNotAskedForAgainAtOnce() {
        load();
        node.link.answer(lookedTo(500));
        partition.hint();
        assertThat(next(2)).isEmpty();
        assertThat(partition.idleNanos(1)).isEqualTo(MS / 2);
        assertThat(loadsFrom(MS)).isEqualTo("500");
    }

    @Test
    void whatWasNotDoneIsGoneOnWith() {
        load();
        answer(Reply.Outcome.UNAVAILABLE, 0, null);
        assertThat(loadsFrom(50 * MS)).isEqualTo("500");
    }

    /** They were carried out all the same: what a client does not know to be there is to be delivered too. */
    @Test
    void allIsLoadedAgainWhenCommandsWereNotAsDurableAsAsked() {
        load();
        node.link.answer(lookedTo(600));
        Reply unmet = new Reply(Reply.Outcome.UNMET, null, "no replica", 1);
        partition.unanswered(
                new CommandBatch(INDEX, Durability.MEMORY, List.of(), List.of(), 0, new byte[0], List.of(), 0), unmet);
        assertThat(loadsFrom(MS)).isEqualTo(BEGINNING);
    }

    /** Near inserts may have been taken. */
    @Test
    void allIsLoadedAgainWhenAReplyIsLost() {
        load();
        answer(Reply.Outcome.UNKNOWN, 1, null);
        assertThat(loadsFrom(50 * MS)).isEqualTo(BEGINNING);
    }

    @Test
    void allIsLoadedAgainFromAnotherServer() {
        load();
        answer(Reply.Outcome.UNAVAILABLE, 2, null);
        assertThat(loadsFrom(50 * MS)).isEqualTo(BEGINNING);
    }

    /** What is to be replicated has a connection of its own, on which the master may change unnoticed by the other. */
    @Test
    void allIsLoadedAgainFromAnotherServerForWhatIsReplicated() {
        load();
        node.link.answer(lookedTo(600));
        replicated(5);
        assertThat(loadsFrom(50 * MS)).as("the first one").isEqualTo("600");
        node.link.answer(lookedTo(700));
        replicated(5);
        assertThat(loadsFrom(60 * MS)).as("the same").isEqualTo("700");
        node.link.answer(lookedTo(800));
        replicated(6);
        assertThat(loadsFrom(70 * MS)).isEqualTo(BEGINNING);
    }

    private void replicated(long connection) {
        Call call = new Call(0, Script.named("commands"), List.of(), List.of(), Durability.replicated(1)) {
            @Override
            public void answered(Reply reply) {
                partition.landed(this, reply);
            }
        };
        call.answered(new Reply(Reply.Outcome.DONE, null, "", connection));
    }

    @Test
    void allIsLoadedAgainWhenThereAreTimersThatShouldBeLoaded() {
        load();
        List<Object> answer = new ArrayList<>(lookedTo(200_000));
        answer.set(5, Text.bytes("n0"));
        node.link.answer(answer);
        assertThat(loadsFrom(50 * MS)).isEqualTo(BEGINNING);
    }

    @Test
    void lowestSliceThatWasNotLookedThroughIsNoFault() {
        load();
        List<Object> answer = new ArrayList<>(lookedTo(600));
        answer.set(5, Text.bytes("n0"));
        node.link.answer(answer);
        assertThat(loadsFrom(50 * MS)).isEqualTo("600");
    }
}
