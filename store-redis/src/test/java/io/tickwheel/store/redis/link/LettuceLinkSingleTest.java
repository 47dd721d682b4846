package io.tickwheel.store.redis.link;

import static io.tickwheel.store.redis.link.Loop.push;
import static io.tickwheel.store.redis.link.Reply.Outcome.DONE;
import static io.tickwheel.store.redis.link.Reply.Outcome.FULL;
import static io.tickwheel.store.redis.link.Reply.Outcome.REFUSED;
import static io.tickwheel.store.redis.link.Reply.Outcome.UNAVAILABLE;
import static io.tickwheel.store.redis.link.Reply.Outcome.UNKNOWN;
import static io.tickwheel.store.redis.link.Reply.Outcome.UNMET;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.redis.testkit.TcpProxy;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.link.Loop.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LettuceLinkSingleTest {

    private static final int SLOT = 7;
    private static final long CALM_NANOS = 250_000_000;
    private static final long BUSY_NANOS = 50_000_000;

    private RedisServer redis;
    private Loop loop;

    @BeforeEach
    void start() {
        redis = RedisServer.builder().start();
        loop = Loop.open(redis.port());
    }

    @AfterEach
    void stop() {
        loop.close();
        redis.close();
    }

    private Kept pushed(String argument) {
        return push(SLOT, "k", argument, Durability.MEMORY);
    }

    private List<?> list() {
        return (List<?>) redis.command("LRANGE", "k", "0", "-1");
    }

    @Test
    void callsOfASlotAreExecutedInTheOrderInWhichTheyWereSent() {
        List<Kept> answered = new ArrayList<>();
        List<Kept> sent = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            sent.add(loop.send(new Kept(SLOT, Loop.PUSH, "k", "" + i, Durability.MEMORY, answered)));
            if (i % 100 == 0) {
                loop.link.flush();
            }
        }
        assertThat(loop.link.isQuiet()).isFalse();
        loop.link.flush();
        loop.until(() -> answered.size() == sent.size());

        assertThat(answered).isEqualTo(sent);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(sent.get(i).reply.value()).isEqualTo(i + 1L);
        }
        assertThat(loop.link.isQuiet()).isTrue();
    }

    /** Nothing wakes the loop when a timeout passes, or when a connection is to be tried again. */
    @Test
    void loopMayRestWhileAllIsWellOnly() {
        loop.link.subscribe("c", text -> {});
        assertThat(loop.link.idleNanos()).as("it does not hear yet").isEqualTo(BUSY_NANOS);
        loop.until(loop.link::hears);
        assertThat(loop.link.idleNanos()).isEqualTo(CALM_NANOS);
        Kept owed = loop.send(pushed("1"));
        assertThat(loop.link.idleNanos()).as("a reply is owed").isEqualTo(BUSY_NANOS);
        loop.link.flush();
        loop.until(() -> owed.is(DONE));
        assertThat(loop.link.idleNanos()).isEqualTo(CALM_NANOS);
        redis.kill();
        loop.until(() -> loop.link.idleNanos() == BUSY_NANOS);
    }

    @Test
    void loopLooksOftenAtAShortTimeout() {
        try (Loop impatient = Loop.impatient(redis.port())) {
            assertThat(impatient.link.idleNanos()).isLessThanOrEqualTo(Loop.SHORT.toNanos() / 8);
        }
    }

    @Test
    void repliesAreNumbersBytesListsAndNull() {
        Script script = Loop.script("all", "return {1, 'two', {}, {3, false}, 'end'}");
        Reply reply = loop.call(new Kept(SLOT, script, "k", "", Durability.MEMORY, new ArrayList<>()));
        assertThat(reply.outcome()).isEqualTo(DONE);
        List<Object> inner = new ArrayList<>(Arrays.asList(3L, null));
        assertThat((List<?>) reply.value())
                .usingRecursiveComparison()
                .isEqualTo(List.of(1L, new byte[] {'t', 'w', 'o'}, List.of(), inner, new byte[] {'e', 'n', 'd'}));

        Reply nothing = loop.call(new Kept(SLOT, "GET", "absent"));
        assertThat(nothing.outcome()).isEqualTo(DONE);
        assertThat(nothing.value()).isNull();
    }

    @Test
    void scriptsThatTheServerHasForgottenInMidPipelineAreSentAgainInOrder() {
        assertThat(loop.call(pushed("0")).outcome()).isEqualTo(DONE);
        List<Kept> sent = new ArrayList<>();
        for (int i = 1; i <= 300; i++) {
            sent.add(loop.send(pushed("" + i)));
            if (i == 100) {
                loop.send(new Kept(SLOT, "SCRIPT", "FLUSH"));
            }
        }
        loop.link.flush();
        loop.until(loop.link::isQuiet);

        List<String> expected = new ArrayList<>();
        for (int i = 0; i <= 300; i++) {
            expected.add("" + i);
        }
        assertThat(sent).allMatch(each -> each.is(DONE));
        assertThat(list()).isEqualTo(expected);
    }

    @Test
    void callThatWasOvertakenIsNotExecuted() {
        assertThat(loop.call(pushed("0")).outcome()).isEqualTo(DONE);
        redis.command("SCRIPT", "FLUSH");
        // Its script is not known to this connection, so it comes whole and is executed at once.
        Script other = Loop.script("other", "return redis.call('RPUSH', KEYS[1], ARGV[1] .. '')");
        Kept first = loop.send(pushed("1"));
        Kept second = loop.send(new Kept(SLOT, other, "k", "2", Durability.MEMORY, new ArrayList<>()));
        Kept third = loop.send(pushed("3"));
        loop.link.flush();
        loop.until(loop.link::isQuiet);

        assertThat(first.reply.outcome()).isEqualTo(UNAVAILABLE);
        assertThat(second.reply.outcome()).isEqualTo(DONE);
        assertThat(third.reply.outcome()).isEqualTo(DONE);
        assertThat(list()).isEqualTo(List.of("0", "2", "3"));
    }

    @Test
    void serverThatIsKilledAndStartedAgainIsUsedAgain() {
        Reply before = loop.call(pushed("a"));
        assertThat(before.outcome()).isEqualTo(DONE);

        redis.kill();
        assertThat(loop.call(pushed("b")).outcome()).isIn(UNKNOWN, UNAVAILABLE);
        loop.until(() -> loop.call(pushed("b")).outcome() == UNAVAILABLE);

        redis.restart();
        Reply after = loop.untilDone(() -> pushed("c"));
        assertThat(after.connection()).isGreaterThan(before.connection());
        assertThat(list()).isEqualTo(List.of("c"));
    }

    @Test
    void nothingIsHeardUntilTheServerIsThereAgain() {
        List<String> heard = new ArrayList<>();
        loop.link.subscribe("news", heard::add);
        loop.until(loop.link::hears);
        redis.kill();
        loop.until(() -> !loop.link.hears());
        redis.restart();
        loop.until(loop.link::hears);
        assertThat(redis.command("PUBLISH", "news", "x")).isEqualTo(1L);
        loop.until(() -> heard.contains("x"));
    }

    @Test
    void callWithoutAReplyIsUnknownAndNotSentAgain() {
        loop.close();
        loop = Loop.impatient(redis.port());
        Reply before = loop.call(pushed("a"));
        redis.pause();
        Kept first = loop.send(pushed("b"));
        loop.link.flush();
        Kept second = loop.send(pushed("c"));
        loop.link.flush();
        loop.until(() -> first.reply != null && second.reply != null);
        assertThat(first.reply.outcome()).isEqualTo(UNKNOWN);
        assertThat(second.reply.outcome()).isEqualTo(UNKNOWN);
        assertThat(loop.call(pushed("d")).outcome()).isEqualTo(UNAVAILABLE);

        redis.resume();
        Reply after = loop.untilDone(() -> pushed("e"));
        assertThat(after.connection()).isGreaterThan(before.connection());
        // What was on its way may have been executed, but once.
        assertThat(list())
                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                .startsWith("a")
                .contains("e")
                .doesNotContain("d")
                .doesNotHaveDuplicates();
    }

    @Test
    void callWhoseReplyIsLostIsUnknownAndWasExecutedOnce() {
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                Loop behind = Loop.open(proxy.port())) {
            assertThat(behind.call(pushed("a")).outcome()).isEqualTo(DONE);
            proxy.swallowReplies();
            Kept lost = behind.send(pushed("b"));
            behind.link.flush();
            behind.until(() -> proxy.bytesSwallowed() > 0);
            proxy.cut();
            behind.until(() -> lost.reply != null);

            assertThat(lost.reply.outcome()).isEqualTo(UNKNOWN);
            behind.untilDone(() -> pushed("c"));
            assertThat(list()).isEqualTo(List.of("a", "b", "c"));
        }
    }

    @Test
    void silentConnectionIsReplaced() {
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                Loop behind = Loop.impatient(proxy.port())) {
            Reply before = behind.call(pushed("a"));
            proxy.stall();
            assertThat(behind.call(pushed("b")).outcome()).isEqualTo(UNKNOWN);
            proxy.cut();
            proxy.flow();
            Reply after = behind.untilDone(() -> pushed("c"));
            assertThat(after.connection()).isGreaterThan(before.connection());
        }
    }

    @Test
    void moreCallsThanAConnectionTakesAreUnavailable() {
        redis.pause();
        List<Kept> sent = new ArrayList<>();
        for (int i = 0; i < 16_385; i++) {
            sent.add(loop.send(new Kept(SLOT, "GET", "k")));
        }
        loop.link.flush();
        loop.link.deliver(1);
        assertThat(sent.get(16_384).is(UNAVAILABLE)).isTrue();
        assertThat(sent.get(16_383).reply).isNull();
        redis.resume();
        loop.until(loop.link::isQuiet);
        assertThat(sent.subList(0, 16_384)).allMatch(each -> each.is(DONE));
    }

    @Test
    void errorsSayWhetherItIsForGood() {
        Reply wrong = loop.call(new Kept(SLOT, "NOSUCHCOMMAND", "k"));
        assertThat(wrong.outcome()).isEqualTo(REFUSED);
        assertThat(wrong.reason()).contains("unknown command");

        redis.command("CONFIG", "SET", "maxmemory", "1");
        assertThat(loop.call(pushed("a")).outcome()).isEqualTo(FULL);
        redis.command("CONFIG", "SET", "maxmemory", "0");

        redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
        assertThat(loop.call(pushed("a")).outcome()).isEqualTo(UNAVAILABLE);
        redis.command("CONFIG", "SET", "min-replicas-to-write", "0");

        assertThat(loop.call(pushed("a")).value()).isEqualTo(1L);
    }

    @Test
    void serverThatHasBecomeAReplicaIsUnavailable() {
        try (RedisServer other = RedisServer.builder().start()) {
            redis.command("REPLICAOF", "127.0.0.1", "" + other.port());
            assertThat(loop.call(pushed("a")).outcome()).isEqualTo(UNAVAILABLE);
            redis.command("REPLICAOF", "NO", "ONE");
            assertThat(loop.untilDone(() -> pushed("b")).value()).isEqualTo(1L);
        }
    }

    @Test
    void replicasAreCountedAndNotSupposed() {
        loop.close();
        loop = Loop.impatient(redis.port());
        Reply reply = loop.call(push(SLOT, "k", "a", Durability.replicated(1)));
        assertThat(reply.outcome()).isEqualTo(UNMET);
        assertThat(reply.value()).isEqualTo(1L);
        assertThat(reply.reason()).contains("replicated(1)").contains(" 0 replicas");
    }

    @Test
    void syncIsRefusedByAServerThatDoesNotKnowIt() {
        Reply reply = loop.call(push(SLOT, "k", "a", Durability.fsync(0)));
        assertThat(reply.outcome()).isEqualTo(REFUSED);
        assertThat(reply.reason()).contains("fsync(0)").contains("WAITAOF").contains("appendonly no");
        assertThat(list()).isEmpty();
    }

    @Test
    void awaitedReplyIsGivenToTheCallerOnly() {
        Kept other = loop.send(pushed("a"));
        Kept awaited = pushed("b");
        Reply reply = loop.link.await(awaited, Duration.ofSeconds(5));
        assertThat(reply.outcome()).isEqualTo(DONE);
        assertThat(reply.value()).isEqualTo(2L);
        assertThat(other.reply).isNull();
        loop.until(() -> other.reply != null);
        assertThat(awaited.reply).isNull();

        redis.pause();
        assertThat(loop.link.await(pushed("c"), Duration.ofMillis(100)).outcome())
                .isEqualTo(UNKNOWN);
    }

    @Test
    void messagesComeThroughTheLoopAlsoAfterARestart() {
        List<String> heard = new ArrayList<>();
        loop.link.subscribe("news", heard::add);
        loop.until(() -> Long.valueOf(1).equals(redis.command("PUBLISH", "news", "one")));
        loop.until(() -> heard.equals(List.of("one")));

        redis.kill();
        redis.restart();
        loop.until(() -> Long.valueOf(1).equals(redis.command("PUBLISH", "news", "two")));
        loop.until(() -> heard.equals(List.of("one", "two")));
    }

    @Test
    void noMoreIsDeliveredThanAskedFor() {
        List<Kept> sent = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sent.add(loop.send(pushed("" + i)));
        }
        assertThat(loop.link.await(pushed("last"), Duration.ofSeconds(5)).outcome())
                .isEqualTo(DONE);
        assertThat(loop.link.deliver(4)).isEqualTo(4);
        assertThat(sent.stream().filter(each -> each.reply != null)).hasSize(4);
        assertThat(loop.link.deliver(100)).isEqualTo(6);
        assertThat(loop.link.deliver(100)).isZero();
    }
}
