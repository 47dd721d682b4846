package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.LimitGrant;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No token is lost, or counts twice, when questions and answers are lost: what a node asks goes to the real script, while the clock stands still. */
final class LostTokensTest implements Answer<LimitGrant> {

    private static final int BURST = 20;
    private static final double SELDOM = 0.001;

    private static RedisServer server;

    private final LoopNode node = new LoopNode();
    private final QueueLimits limits = new QueueLimits(node.context, () -> true);
    private int granted;
    private int failures;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void fillTheBucket() {
        server.command("FLUSHALL");
        String key = Text.string(node.layout.limitKey("q"));
        server.command("HSET", key, "b", "" + BURST, "t", "" + StoppedClock.MICROS);
    }

    @Override
    public void accept(LimitGrant grant) {
        granted = grant.tokens();
    }

    @Override
    public void fail(StoreException failure) {
        failures++;
    }

    private Call ask(int tokens, int unused) {
        limits.ask(new LimitRequest("q", null, 0, 0, 0, SELDOM, BURST, tokens, unused), this);
        return node.link.sent.get(0);
    }

    /** What the server answers; it takes no deadline for past. */
    private static List<?> carriedOut(Call call) {
        List<String> eval = new ArrayList<>(List.of("EVAL", StoppedClock.source(Script.named("limit")), "1"));
        eval.add(Text.string(call.keys.get(0)));
        call.arguments.forEach(argument -> eval.add(Text.string(argument)));
        eval.set(4 + 2, "" + Long.MAX_VALUE / 1_000_000);
        return (List<?>) server.command(eval.toArray(String[]::new));
    }

    private int grantedTo(int tokens, int unused) {
        granted = -1;
        node.link.answer(carriedOut(ask(tokens, unused)));
        return granted;
    }

    private void loseTheReply(int tokens, int unused) {
        List<?> lost = carriedOut(ask(tokens, unused));
        assertThat(lost).hasSize(5);
        node.link.fail(Reply.Outcome.UNKNOWN);
    }

    private void loseTheQuestion(int tokens, int unused, Reply.Outcome asFarAsIsKnown) {
        ask(tokens, unused);
        node.link.fail(asFarAsIsKnown);
    }

    @Test
    void whatWasGrantedInALostReplyIsGrantedAgain() {
        loseTheReply(5, 0);
        loseTheReply(BURST, 0);
        assertThat(failures).isEqualTo(2);
        assertThat(grantedTo(BURST + 5, 0)).isEqualTo(BURST);
        assertThat(grantedTo(BURST, 0)).as("there are no more").isZero();
    }

    @Test
    void whatWasGivenBackInALostQuestionIsThereAgain() {
        assertThat(grantedTo(BURST, 0)).isEqualTo(BURST);
        loseTheQuestion(0, 7, Reply.Outcome.UNAVAILABLE);
        loseTheQuestion(0, 5, Reply.Outcome.UNKNOWN);
        assertThat(grantedTo(BURST, 3)).isEqualTo(15);
        assertThat(grantedTo(BURST, 0)).as("there are no more").isZero();
    }

    @Test
    void whatWasGivenBackInALostReplyCountsOnce() {
        assertThat(grantedTo(BURST, 0)).isEqualTo(BURST);
        loseTheReply(4, 9);
        loseTheQuestion(4, 2, Reply.Outcome.UNKNOWN);
        assertThat(grantedTo(BURST, 1)).isEqualTo(12);
        assertThat(grantedTo(BURST, 0)).as("there are no more").isZero();
    }

    /** So is what it granted and gave back: each question tells of all before it. */
    @Test
    void lostQuestionThatComesBehindALaterOneIsPassedOver() {
        assertThat(grantedTo(10, 0)).isEqualTo(10);
        Call late = ask(5, 4);
        node.link.fail(Reply.Outcome.UNKNOWN);
        assertThat(grantedTo(2, 0)).isEqualTo(2);
        assertThat(carriedOut(late)).hasSize(1);
        assertThat(grantedTo(BURST, 0)).isEqualTo(12);
    }
}
