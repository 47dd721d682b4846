package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.LimitGrant;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node asks for the limits of its queues, and what it makes of the answers. */
final class QueueLimitsTest implements Answer<LimitGrant> {

    private final LoopNode node = new LoopNode();
    private boolean mayAsk = true;
    private final QueueLimits limits = new QueueLimits(node.context, () -> mayAsk);
    private final List<LimitGrant> grants = new ArrayList<>();
    private final List<StoreException> failures = new ArrayList<>();

    @Override
    public void accept(LimitGrant grant) {
        grants.add(grant);
    }

    @Override
    public void fail(StoreException failure) {
        failures.add(failure);
    }

    private Call ask() {
        limits.ask(new LimitRequest("q", 5, 1, 2, 3, 0.5, 4, 6, 7), this);
        return node.link.sent.get(node.link.sent.size() - 1);
    }

    private void assertUnavailable(boolean isUnknown) {
        assertThat(failures)
                .singleElement()
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isEqualTo(isUnknown));
        assertThat(grants).isEmpty();
        assertThat(limits.isQuiet()).isTrue();
    }

    @Test
    void requestIsWrittenDownAndEachHasItsNumber() {
        Call first = ask();
        assertThat(first.keys).containsExactly(node.layout.limitKey("q"));
        assertThat(first.slot).isEqualTo(node.layout.limitSlot("q"));
        assertThat(first.arguments.stream().map(Text::string))
                .containsExactly("s", "1", "10000", "6000", "5", "1", "2", "3", "0.5", "4.0", "6", "7", "7", "0");
        assertThat(Text.string(ask().arguments.get(1))).isEqualTo("2");
        limits.ask(new LimitRequest("q", null, 0, 0, 0, null, 1, 0, 0), this);
        List<byte[]> without = node.link.sent.get(2).arguments;
        assertThat(List.of(Text.string(without.get(4)), Text.string(without.get(8))))
                .containsExactly("", "");
    }

    @Test
    void slotsAreLentAsDurablyAsClaimsAreMadeAndWhatIsOnlyRatesIsNot() {
        LoopNode durable = new LoopNode(Durability.replicated(1));
        QueueLimits shared = new QueueLimits(durable.context, () -> true);
        shared.ask(new LimitRequest("q", 5, 1, 2, 3, 0.5, 4, 6, 7), this);
        shared.ask(new LimitRequest("q", null, 0, 0, 0, 0.5, 1, 0, 0), this);
        assertThat(durable.link.sent)
                .extracting(call -> call.level)
                .containsExactly(Durability.replicated(1), Durability.MEMORY);
    }

    @Test
    void grantIsTakenAsItWasGiven() {
        ask();
        assertThat(limits.isQuiet()).isFalse();
        node.link.answer(List.of(1L, 3L, 2L, 1_500_000L, 250L));
        assertThat(grants).containsExactly(new LimitGrant(3, LoopNode.LEASE.toNanos(), 2, 1.5, 250_000));
        assertThat(failures).isEmpty();
        assertThat(limits.isQuiet()).isTrue();
    }

    @Test
    void eachQuestionSaysWhatOfItsQueueWasGivenBackAndWhatCame() {
        ask();
        node.link.answer(List.of(1L, 3L, 2L, 0L, 0L));
        ask();
        node.link.answer(List.of(1L, 3L, 4L, 0L, 0L));
        mayAsk = false;
        ask(9);
        mayAsk = true;
        assertThat(accountOf(ask())).containsExactly("30", "6");
        node.link.fail(Reply.Outcome.UNKNOWN);
        limits.ask(new LimitRequest("other", 5, 1, 2, 3, 0.5, 4, 6, 1), this);
        assertThat(accountOf(node.link.sent.get(0))).containsExactly("1", "0");
    }

    private void ask(int unused) {
        limits.ask(new LimitRequest("q", 5, 1, 2, 3, 0.5, 4, 6, unused), this);
    }

    private static List<String> accountOf(Call call) {
        return call.arguments.subList(12, 14).stream().map(Text::string).toList();
    }

    /** Returns the name under which the node has asked. */
    private String askOf(String queue) {
        limits.ask(new LimitRequest(queue, 5, 1, 2, 3, 0.5, 4, 6, 1), this);
        String name = Text.string(node.link.sent.get(0).arguments.get(0));
        node.link.answer(List.of(1L, 3L, 2L, 0L, 0L));
        return name;
    }

    private void advance(Duration time) {
        node.turn.begin(node.turn.nowNanos() + time.toNanos());
    }

    /** Queues may have names that nobody uses again. */
    @Test
    void queuesThatComeAndGoAreForgotten() {
        for (int i = 0; i < 10 * QueueLimits.MOST_IDLE; i++) {
            askOf("gone" + i);
            advance(LoopNode.LEASE.dividedBy(QueueLimits.MOST_IDLE / 4));
        }
        assertThat(limits.accounts()).isLessThanOrEqualTo(QueueLimits.MOST_IDLE);
    }

    @Test
    void queuesThatAskNowAreNotForgotten() {
        for (int i = 0; i < 2 * QueueLimits.MOST_IDLE; i++) {
            askOf("busy" + i);
        }
        assertThat(limits.accounts()).isEqualTo(2 * QueueLimits.MOST_IDLE);
    }

    /** The server adds up what it hears under a name: another sum needs another name. */
    @Test
    void queueThatComesAgainHasAnotherNameAndANewSum() {
        askOf("q");
        for (int i = 1; i < QueueLimits.MOST_IDLE; i++) {
            askOf("gone" + i);
        }
        advance(LoopNode.LEASE.multipliedBy(2));
        assertThat(askOf("q")).as("not forgotten yet").isEqualTo("s");
        advance(LoopNode.LEASE.multipliedBy(2));
        for (int i = 1; i < QueueLimits.MOST_IDLE; i++) {
            askOf("gone" + i);
        }
        advance(Duration.ofNanos(1));
        assertThat(askOf("another")).as("of a queue without an account").isEqualTo("s");
        Call again = ask();
        assertThat(Text.string(again.arguments.get(0))).isEqualTo("s-1");
        assertThat(accountOf(again)).containsExactly("7", "0");
    }

    @Test
    void nothingIsAskedWhileTheNamespaceIsInDoubt() {
        mayAsk = false;
        limits.ask(new LimitRequest("q", 5, 1, 1, 1, null, 1, 0, 0), this);
        assertThat(node.link.sent).isEmpty();
        assertUnavailable(false);
    }

    @Test
    void questionThatCameTooLateHasTakenNothing() {
        ask();
        node.link.answer(List.of(1L));
        assertUnavailable(false);
    }

    @Test
    void questionWithoutAnAnswerMayHaveTakenSomething() {
        ask();
        node.link.fail(Reply.Outcome.UNKNOWN);
        assertUnavailable(true);
    }

    @Test
    void allAreToldOnceThatTheStoreHasFailed() {
        ask();
        ask();
        StoreFailedException reason = new StoreFailedException("it failed", true, new IllegalStateException());
        limits.failAll(reason);
        limits.failAll(reason);
        assertThat(failures).containsExactly(reason, reason);
        assertThat(limits.isQuiet()).isTrue();
        node.link.answer(List.of(1L, 3L, 2L, 0L, 0L));
        assertThat(grants).as("an answer that comes later").isEmpty();
    }
}
