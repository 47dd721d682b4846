package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A node that stands still between its question and the answer, for longer than its lease, while another one goes on. */
final class StoppedNodeTest {

    private static final Lane LANE = new Lane("q", Lane.QUEUE_ROUTE);

    /** Keeps the replies to commands back, from some moment on until another. */
    private static final class HeldCommands extends PassingLink {

        private static final String COMMANDS = Script.named("commands").sha1();

        final ArrayDeque<Runnable> held = new ArrayDeque<>();
        boolean holds;

        HeldCommands(Link link) {
            super(link);
        }

        @Override
        public void send(Call call) {
            Script script = call.script;
            if (!holds || script == null || !script.sha1().equals(COMMANDS)) {
                super.send(call);
                return;
            }
            super.send(new Call(call.slot, script, call.keys, call.arguments, call.level) {
                @Override
                public void answered(Reply reply) {
                    held.add(() -> call.answered(reply));
                }
            });
        }

        @Override
        public int deliver(int limit) {
            if (!holds) {
                while (!held.isEmpty()) {
                    held.remove().run();
                }
            }
            return super.deliver(limit);
        }
    }

    /** The claim was granted, ran out, and the timer was cancelled, all before the node reads that it was granted. */
    @Test
    void claimThatRanOutBeforeItsAnswerWasReadIsNoAttempt() {
        try (RedisServer server = RedisServer.builder().start()) {
            RedisOptions options = RedisOptions.defaults(RedisAddress.single("redis://127.0.0.1:" + server.port()))
                    .withNamespace("stopped")
                    .withPartitions(1)
                    .withLease(Duration.ofMillis(200));
            List<HeldCommands> links = new ArrayList<>();
            DrivenNode stopped = new DrivenNode(options, DrivenNode.roomFor(10), Set.of(), link -> {
                links.add(new HeldCommands(link));
                return links.get(0);
            });
            HeldCommands way = links.get(0);
            stopped.schedule(LANE, "k", DrivenNode.NOW_MS);
            stopped.await(() -> stopped.loaded.containsKey("k") && stopped.calendar.isQuiet());
            List<ClaimedTimer> granted = new ArrayList<>();
            way.holds = true;
            stopped.calendar.claim(Objects.requireNonNull(stopped.loaded.get("k")), granted::add);
            stopped.await(() -> !way.held.isEmpty());

            try (DrivenNode other = new DrivenNode(options, DrivenNode.roomFor(10), Set.of(), link -> link)) {
                other.await(() -> other.loaded.containsKey("k"));
                Cancelled cancelled =
                        other.ask(answer -> other.calendar.cancel(new TimerKey("q", "k"), null, null, answer));
                assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);

                way.holds = false;
                stopped.await(way.held::isEmpty);
                stopped.await(stopped.calendar::isQuiet);
                assertThat(granted).isEmpty();
                assertThat(stopped.loaded).isEmpty();
            }
            stopped.close();
        }
    }
}
