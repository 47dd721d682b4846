package io.tickwheel.store.redis.link;

import static io.tickwheel.store.redis.link.Reply.Outcome.DONE;
import static io.tickwheel.store.redis.link.Reply.Outcome.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.link.Loop.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Courses in which replies come when the test says so. */
@Timeout(60)
class LettuceLinkCourseTest {

    private static final String HELD = "held";
    private static final int SLOT = 5;
    private static final int OTHER_SLOT = 7;
    private static final int MOVED_SLOT = 9;

    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    private static ScriptedServer node() {
        return ScriptedServer.with("redis_version:6.2.0", "cluster_enabled:1");
    }

    private static Loop cluster(Duration timeout, ScriptedServer... nodes) {
        String[] uris = new String[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            uris[i] = "redis://127.0.0.1:" + nodes[i].port();
        }
        return Loop.open(RedisAddress.cluster(uris), timeout, Loop.PATIENT);
    }

    private static Kept push(int slot, String argument) {
        return Loop.push(slot, "k", argument, Durability.MEMORY);
    }

    /** What a call was given, its last word. */
    private static String argument(List<String> command) {
        return command.get(command.size() - 1);
    }

    private void awaitPermission() {
        try {
            mayAnswer.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets the first call be answered, and then the one behind it. */
    private void letAnswer(Loop loop, Kept held, Kept later) {
        mayAnswer.countDown();
        loop.until(() -> later.reply != null);
        assertThat(held.reply.outcome()).isEqualTo(DONE);
        assertThat(later.reply.outcome()).isEqualTo(DONE);
    }

    @Test
    void callThatWasNotExecutedWaitsForTheOneBehindItThatIsOnItsWay() throws InterruptedException {
        List<String> executed = new CopyOnWriteArrayList<>();
        try (ScriptedServer server = ScriptedServer.with("redis_version:7.0.0");
                Loop loop = Loop.open(server.port())) {
            server.replies(command -> {
                if (argument(command).equals("1") && command.get(0).equals("EVALSHA")) {
                    return "-NOSCRIPT No matching script";
                }
                if (argument(command).equals(HELD)) {
                    awaitPermission();
                }
                executed.add(argument(command));
                return ":1";
            });
            assertThat(loop.call(push(SLOT, "0")).outcome()).isEqualTo(DONE);
            Script other = Loop.script("other", "return redis.call('RPUSH', KEYS[1], ARGV[1] .. '')");
            Kept first = loop.send(push(SLOT, "1"));
            Kept second = loop.send(new Kept(SLOT, other, "k", HELD, Durability.MEMORY, new ArrayList<>()));
            loop.link.flush();
            loop.turnWhenWoken();
            assertThat(first.reply).isNull();
            mayAnswer.countDown();
            loop.until(loop.link::isQuiet);
            assertThat(second.reply.outcome()).isEqualTo(DONE);
            assertThat(first.reply.outcome()).isEqualTo(UNAVAILABLE);
            assertThat(executed).containsExactly("0", HELD);
        }
    }

    @Test
    void callWaitsForTheOneBeforeItThatIsOnItsWayToTheFormerMaster() {
        List<String> executed = new CopyOnWriteArrayList<>();
        try (ScriptedServer former = node();
                ScriptedServer next = node();
                Loop loop = cluster(Loop.PATIENT, former)) {
            former.replies(command -> {
                if (argument(command).equals("moved")) {
                    return "-MOVED " + MOVED_SLOT + " 127.0.0.1:" + next.port();
                }
                if (argument(command).equals(HELD)) {
                    awaitPermission();
                }
                executed.add(argument(command) + " by the former");
                return ":1";
            });
            next.replies(command -> {
                executed.add(argument(command) + " by the next");
                return ":1";
            });
            former.lowMaster(next.port());
            next.lowMaster(next.port());
            // The refusal has the masters asked for, while the call behind it is on its way.
            loop.send(push(MOVED_SLOT, "moved"));
            Kept held = loop.send(push(SLOT, HELD));
            loop.link.flush();
            // On a connection of its own, so that nothing holds it up.
            loop.until(() -> {
                loop.call(Loop.push(OTHER_SLOT, "k", "probe", Durability.replicated(1)));
                return executed.contains("probe by the next");
            });
            Kept later = loop.send(push(SLOT, "later"));
            loop.link.flush();
            loop.call(push(OTHER_SLOT, "behind it"));
            assertThat(executed).contains("behind it by the next").doesNotContain("later by the next");
            letAnswer(loop, held, later);
            assertThat(executed).endsWith(HELD + " by the former", "later by the next");
        }
    }

    /** Where a slot has moved is told on one kind of connection, and holds for the other too. */
    @Test
    void durableCallWaitsForTheOneBeforeItThatIsOnItsWayToTheFormerMaster() {
        List<String> executed = new CopyOnWriteArrayList<>();
        try (ScriptedServer former = node();
                ScriptedServer next = node();
                Loop loop = cluster(Loop.PATIENT, former)) {
            former.replies(command -> {
                if (argument(command).equals(HELD)) {
                    awaitPermission();
                }
                return "-MOVED " + SLOT + " 127.0.0.1:" + next.port();
            });
            next.replies(command -> {
                if (command.get(0).startsWith("EVAL")) {
                    executed.add(argument(command));
                }
                return ":1";
            });
            // Nothing is known but what the refusal says.
            former.keepQuiet();
            next.keepQuiet();
            Kept held = loop.send(Loop.push(SLOT, "k", HELD, Durability.replicated(1)));
            loop.link.flush();
            assertThat(loop.call(push(SLOT, "moved")).outcome()).isEqualTo(DONE);
            Kept later = loop.send(Loop.push(SLOT, "k", "later", Durability.replicated(1)));
            loop.link.flush();
            assertThat(loop.call(push(SLOT, "behind it")).outcome()).isEqualTo(DONE);
            assertThat(executed).containsExactly("moved", "behind it");
            letAnswer(loop, held, later);
            assertThat(executed).containsExactly("moved", "behind it", HELD, "later");
        }
    }

    /** A key that moves at this moment is at the next master already, others of its slot at the former one. */
    @Test
    void callWaitsForTheOneBeforeItThatWasSentElsewhereForOnce() {
        List<String> executed = new CopyOnWriteArrayList<>();
        try (ScriptedServer former = node();
                ScriptedServer next = node();
                Loop loop = cluster(Loop.PATIENT, former)) {
            former.replies(command -> {
                if (argument(command).equals(HELD)) {
                    return "-ASK " + SLOT + " 127.0.0.1:" + next.port();
                }
                executed.add(argument(command) + " by the former");
                return ":1";
            });
            CountDownLatch hasCome = new CountDownLatch(1);
            next.replies(command -> {
                hasCome.countDown();
                awaitPermission();
                executed.add(argument(command) + " by the next");
                return ":1";
            });
            Kept held = loop.send(push(SLOT, HELD));
            loop.link.flush();
            loop.until(() -> hasCome.getCount() == 0);
            Kept later = loop.send(push(SLOT, "later"));
            loop.link.flush();
            assertThat(loop.call(push(OTHER_SLOT, "behind it")).outcome()).isEqualTo(DONE);
            assertThat(executed).containsExactly("behind it by the former");
            letAnswer(loop, held, later);
            assertThat(executed)
                    .containsExactly("behind it by the former", HELD + " by the next", "later by the former");
        }
    }

    @Test
    void nodeThatDoesNotSayWhereTheMastersAreIsNotAskedForEver() {
        try (ScriptedServer quiet = node();
                ScriptedServer other = node()) {
            quiet.keepQuiet();
            other.replies(command -> ":1");
            try (Loop loop = cluster(Loop.SHORT, quiet, other)) {
                assertThat(loop.untilDone(() -> push(SLOT, "a")).value()).isEqualTo(1L);
            }
        }
    }

    /** What the other one had not said before does not keep it awake. */
    @Test
    void linkIsCalmOnceOneNodeHasSaidWhereTheMastersAre() {
        try (ScriptedServer quiet = node();
                ScriptedServer other = node()) {
            quiet.keepQuiet();
            other.replies(command -> ":1");
            try (Loop loop = cluster(Loop.SHORT, quiet, other)) {
                assertThat(loop.untilDone(() -> push(SLOT, "a")).value()).isEqualTo(1L);
                loop.until(() -> loop.link.idleNanos() == Loop.SHORT.toNanos() / 8);
            }
        }
    }

    /** Though nobody calls, and long before the time for a reply is over. */
    @Test
    void connectionThatHasEndedIsReplaced() {
        try (ScriptedServer server = ScriptedServer.with("redis_version:7.0.0")) {
            RedisAddress address = RedisAddress.single("redis://127.0.0.1:" + server.port());
            try (Loop loop = Loop.open(address, Duration.ofMinutes(10), Loop.PATIENT)) {
                int before = server.connections();
                server.cut();
                loop.until(() -> server.connections() == 2 * before);
                server.replies(command -> ":1");
                assertThat(loop.untilDone(() -> push(SLOT, "a")).value()).isEqualTo(1L);
            }
        }
    }

    /** What is said among the masters does not come to one that is none any more, though it lives and answers. */
    @Test
    void messagesAreHeardElsewhereOnceTheirServerIsNoMasterAnyMore() {
        String subscribed = "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1";
        List<String> heardFrom = new CopyOnWriteArrayList<>();
        try (ScriptedServer former = node();
                ScriptedServer next = node();
                Loop loop = cluster(Loop.PATIENT, former)) {
            former.replies(command -> {
                if (command.get(0).equals("SUBSCRIBE")) {
                    heardFrom.add("former");
                    return subscribed;
                }
                return "-MOVED " + SLOT + " 127.0.0.1:" + next.port();
            });
            next.replies(command -> {
                if (command.get(0).equals("SUBSCRIBE")) {
                    heardFrom.add("next");
                    return subscribed;
                }
                return ":1";
            });
            loop.link.subscribe("news", text -> {});
            loop.until(loop.link::hears);
            former.master(next.port());
            assertThat(loop.call(push(SLOT, "moved")).outcome()).isEqualTo(DONE);
            loop.until(() -> heardFrom.contains("next") && loop.link.hears());
            assertThat(heardFrom).containsExactly("former", "next");
        }
    }

    @Test
    void replicaThatComesLaterIsCounted() {
        try (ScriptedServer server = ScriptedServer.with("redis_version:7.0.0", "connected_slaves:1");
                Loop loop = Loop.open(server.port())) {
            server.replies(command -> ":1");
            assertThat(loop.call(Loop.push(SLOT, "k", "a", Durability.replicated(1)))
                            .outcome())
                    .isEqualTo(DONE);
            assertThat(loop.link.doubt(Durability.replicated(1))).isNull();
            server.info("connected_slaves:2");
            loop.until(() -> loop.link.doubt(Durability.replicated(1)) != null);
            assertThat(loop.link.doubt(Durability.replicated(1))).contains("2 replicas");
        }
    }
}
