package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code limit.lua} on a real server, at times that the test says. */
final class LimitScript {

    static final long HOLD_MS = 5_000;

    private static final String TIME = "call('TIME')";
    private static final String SOURCE = Script.named("limit").source();

    private final RedisServer server;
    private final String key;
    private final Map<String, TokenAccount> accounts = new HashMap<>();
    private long number;

    LimitScript(RedisServer server, String key) {
        assertThat(SOURCE).contains(TIME);
        this.server = server;
        this.key = key;
    }

    /** What was lent; {@code null} when nothing was done. */
    record Lent(long slots, long tokens, double atOnce, long againMicros) {}

    /** What lies under the key. */
    List<?> content() {
        return (List<?>) Objects.requireNonNull(server.command("HGETALL", key));
    }

    long livesMs() {
        return (Long) Objects.requireNonNull(server.command("PTTL", key));
    }

    Ask ask(String node) {
        return new Ask(node);
    }

    private TokenAccount account(String node) {
        return accounts.computeIfAbsent(node, unknown -> new TokenAccount(Text.bytes(node)));
    }

    /** A question, of which the test says what matters. */
    final class Ask {

        private final String node;
        private long asNumber = ++number;
        private long deadlineMs = Long.MAX_VALUE / 1_000_000;
        private String concurrency = "";
        private int running;
        private int kept;
        private int slots;
        private String perSecond = "";
        private String burst = "1";
        private int tokens;
        private int unused;
        private boolean isReplyLost;

        private Ask(String node) {
            this.node = node;
        }

        Ask slots(int ofAll, int runningHere, int keptHere, int wanted) {
            concurrency = Integer.toString(ofAll);
            running = runningHere;
            kept = keptHere;
            slots = wanted;
            return this;
        }

        Ask tokens(double rate, double gathered, int wanted) {
            perSecond = Double.toString(rate);
            burst = Double.toString(gathered);
            tokens = wanted;
            return this;
        }

        Ask unused(int givenBack) {
            unused = givenBack;
            return this;
        }

        Ask withReplyLost() {
            isReplyLost = true;
            return this;
        }

        /** The question does not arrive. */
        void lost() {
            account(node).giveBack(unused);
        }

        Ask number(long other) {
            asNumber = other;
            return this;
        }

        Ask deadline(long ms) {
            deadlineMs = ms;
            return this;
        }

        @Nullable
        Lent at(long micros) {
            TokenAccount account = account(node);
            account.giveBack(unused);
            List<String> eval = new ArrayList<>(
                    List.of("EVAL", SOURCE.replace(TIME, "{ARGV[15], ARGV[16]}"), "1", key, node, "" + asNumber));
            eval.addAll(List.of("" + deadlineMs, "" + HOLD_MS, concurrency, "" + running, "" + kept, "" + slots));
            eval.addAll(List.of(perSecond, burst, "" + tokens, "" + unused));
            eval.addAll(List.of("" + account.returned(), "" + account.received()));
            eval.addAll(List.of("" + micros / 1_000_000, "" + micros % 1_000_000));
            List<?> answer = (List<?>) Objects.requireNonNull(server.command(eval.toArray(new String[0])));
            assertThat(answer.get(0)).as("now").isEqualTo(micros / 1_000);
            if (answer.size() == 1) {
                return null;
            }
            if (!isReplyLost) {
                account.receive(Math.toIntExact((Long) answer.get(2)));
            }
            return new Lent(
                    (Long) answer.get(1), (Long) answer.get(2), (Long) answer.get(3) / 1e6, (Long) answer.get(4));
        }

        long slotsAt(long micros) {
            return Objects.requireNonNull(at(micros)).slots();
        }

        long tokensAt(long micros) {
            return Objects.requireNonNull(at(micros)).tokens();
        }
    }
}
