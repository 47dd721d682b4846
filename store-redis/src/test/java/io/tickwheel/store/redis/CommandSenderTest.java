package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which commands go in which call, on a real server. */
final class CommandSenderTest {

    /** Three for each of four senders. */
    private static final int PARTITIONS = 12;

    private static final int FIRST = 0;
    private static final int SECOND = 4;
    private static final int THIRD = 8;
    private static final int OF_ANOTHER_SENDER = 1;
    private static final Lane LANE = new Lane("q", Lane.QUEUE_ROUTE);
    private static final long DUE_MS = DrivenNode.NOW_MS + 1_000_000;

    private static RedisServer server;

    private final Layout layout = new Layout("tickwheel", PARTITIONS);
    private RecordingLink link;
    private DrivenNode node;
    private int keys;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        server.command("FLUSHALL");
        RedisOptions options = RedisOptions.defaults(RedisAddress.single("redis://127.0.0.1:" + server.port()))
                .withPartitions(PARTITIONS)
                .withNode("one")
                .withLease(Duration.ofMinutes(1));
        node = new DrivenNode(options, DrivenNode.roomFor(1_024), Set.of(), plain -> {
            link = new RecordingLink(plain);
            return link;
        });
        node.awaitLoaded();
        link.calls.clear();
    }

    @AfterEach
    void close() {
        node.close();
    }

    /** Notes how many commands of which partition each call has, and how many calls are under way. */
    private static final class RecordingLink extends PassingLink {

        private static final Script COMMANDS = Script.named("commands");
        private static final int BEFORE_PARTS = 8;
        private static final int COMMANDS_AT = 3;

        private final List<Map<Integer, Integer>> calls = new ArrayList<>();
        private int underWay;
        private int mostUnderWay;

        RecordingLink(Link link) {
            super(link);
        }

        @Override
        public void send(Call call) {
            Script script = call.script;
            if (script == null || !script.sha1().equals(COMMANDS.sha1())) {
                super.send(call);
                return;
            }
            calls.add(parts(call.arguments));
            underWay++;
            mostUnderWay = Math.max(mostUnderWay, underWay);
            super.send(new Call(call.slot, script, call.keys, call.arguments, call.level) {
                @Override
                public void answered(Reply reply) {
                    underWay--;
                    call.answered(reply);
                }
            });
        }

        private static Map<Integer, Integer> parts(List<byte[]> arguments) {
            Map<Integer, Integer> parts = new LinkedHashMap<>();
            int at = BEFORE_PARTS;
            while (at < arguments.size()) {
                byte[] head = arguments.get(at);
                parts.put((int) head[1], (int) head[COMMANDS_AT]);
                at += 1 + head[COMMANDS_AT];
            }
            return parts;
        }
    }

    private void schedule(int partition, int count) {
        for (int i = 0; i < count; keys++) {
            String key = "k" + keys;
            if (layout.partition(Layout.field(new TimerKey("q", key))) == partition) {
                node.schedule(LANE, key, DUE_MS);
                i++;
            }
        }
    }

    @Test
    void callHasTheCommandsOfManyPartitions() {
        schedule(FIRST, 1);
        schedule(SECOND, 2);
        schedule(THIRD, 3);
        schedule(OF_ANOTHER_SENDER, 4);
        node.awaitAnswers();
        assertThat(link.calls)
                .containsExactlyInAnyOrder(Map.of(FIRST, 1, SECOND, 2, THIRD, 3), Map.of(OF_ANOTHER_SENDER, 4));
    }

    /** However much waits in one, the others come in turn; and whom a full call has cut is first in the next. */
    @Test
    void partitionsTakeTurnsWhenACallIsFull() {
        schedule(FIRST, 100);
        schedule(SECOND, 100);
        schedule(THIRD, 1);
        node.await(() -> link.calls.size() == 3);
        schedule(THIRD, 64);
        node.awaitAnswers();
        assertThat(link.calls)
                .containsExactly(
                        Map.of(FIRST, 64),
                        Map.of(SECOND, 64),
                        Map.of(THIRD, 1, FIRST, 36, SECOND, 27),
                        Map.of(SECOND, 9, THIRD, 55),
                        Map.of(THIRD, 9));
        assertThat(link.mostUnderWay).isOne();
    }

    /** Each may be as large as a timer can be, and all of a call are held at once, here and on the server. */
    @Test
    void callReadsFewContents() {
        schedule(FIRST, 20);
        node.awaitAnswers();
        link.calls.clear();
        List<StoredTimer> read = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            node.calendar.read(new TimerKey("q", "k" + i), new Answer<>() {

                @Override
                public void accept(List<StoredTimer> found) {
                    read.addAll(found);
                }

                @Override
                public void fail(StoreException reason) {
                    throw reason;
                }
            });
        }
        node.await(() -> read.size() == 20);
        assertThat(link.calls)
                .isNotEmpty()
                .allSatisfy(call -> assertThat(call.values().stream()
                                .mapToInt(Integer::intValue)
                                .sum())
                        .isLessThanOrEqualTo(8));
    }

    /** The server's clock is behind that of the namespace: it is asked when the time has come there, and not all the time before. */
    @Test
    void claimThatIsAskedForTooEarlyIsAskedForAgainWhenItIsDue() {
        long dueMs = System.currentTimeMillis() + 400;
        node.nowMs = dueMs;
        node.schedule(LANE, "k", dueMs);
        node.awaitAnswers();
        node.await(() -> node.loaded.containsKey("k"));
        link.calls.clear();
        assertThat(node.claim("k").view().attemptAtMs()).isEqualTo(dueMs);
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(dueMs);
        assertThat(link.calls.size()).as("calls").isBetween(2, 6);
    }
}
