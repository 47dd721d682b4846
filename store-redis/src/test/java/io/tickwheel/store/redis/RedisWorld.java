package io.tickwheel.store.redis;

import io.tickwheel.store.redis.layout.HashSlots;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The servers of one simulated course, the way to them, the time, and what all that happens is written down in. */
final class RedisWorld {

    private static final int TRACED = Integer.getInteger("tickwheel.redis.trace", 400);

    final SplittableRandom random;
    final RedisBug bug;
    final boolean isCluster;
    final Layout layout;
    final List<SimulatedMaster> masters = new ArrayList<>();
    final List<SimulatedLink> links = new ArrayList<>();
    final RedisLedger ledger;

    /** Whether calls that nobody waits for may be carried out late. */
    boolean hasLateCopies;

    /** Whether nothing goes wrong any more. */
    boolean isHealed;

    private final SimulatedRedis redis;
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final List<Late> late = new ArrayList<>();
    private long traceHash;
    private long nowNanos;
    private int seq;

    /** The call whose reply is being delivered. */
    private @Nullable SimulatedCall delivering;

    private record Late(SimulatedCall call, int generation) {}

    /** @param isCluster whether there are two masters, and not one */
    RedisWorld(SimulatedRedis redis, RedisBug bug, SplittableRandom random, RedisOptions options, boolean isCluster) {
        this.redis = redis;
        this.bug = bug;
        this.random = random;
        this.layout = new Layout(options.namespace(), options.partitions().orElseThrow());
        this.isCluster = isCluster;
        this.ledger = new RedisLedger(this, options);
        redis.clear();
        for (int i = 0; i < (isCluster ? 2 : 1); i++) {
            masters.add(new SimulatedMaster(i, redis, layout, bug, this::slots));
        }
        for (int p = 0; p < layout.partitions; p++) {
            master(layout.slot(p)).partitions.add(p);
        }
    }

    // ---- time and order

    long nowNanos() {
        return nowNanos;
    }

    void advance(long nanos) {
        nowNanos += nanos;
    }

    int nextSeq() {
        return ++seq;
    }

    int seq() {
        return seq;
    }

    SimulatedMaster master(int slot) {
        return masters.get((int) ((long) slot * masters.size() / HashSlots.COUNT));
    }

    /** Which master has which slots, as servers say it. */
    private List<Object> slots() {
        List<Object> all = new ArrayList<>();
        for (int i = 0, first = 0; i < masters.size(); i++) {
            int end = first;
            while (end < HashSlots.COUNT && master(end).index == i) {
                end++;
            }
            all.add(List.of((long) first, end - 1L, List.of(Text.bytes("host" + i), 1L)));
            first = end;
        }
        return all;
    }

    boolean chance(int oneOf) {
        return random.nextInt(oneOf) == 0;
    }

    // ---- what happened

    void note(String what) {
        String line = seq + " " + nowNanos / 1_000 + " " + what;
        traceHash = traceHash * 31 + line.hashCode();
        trace.add(line);
        if (trace.size() > TRACED) {
            trace.remove();
        }
    }

    long traceHash() {
        return traceHash;
    }

    String trace() {
        return String.join("\n", trace);
    }

    // ---- calls

    /** Carries out calls, one after the other. */
    void execute(List<SimulatedCall> calls) {
        for (SimulatedCall call : calls) {
            if (call.call.script != null) {
                redis.load(call.call.script, bug);
            }
        }
        calls.forEach(call -> call.master.queue(call, nowNanos));
        Iterator<@Nullable Object> replies = redis.flush().iterator();
        List<byte[]> published = new ArrayList<>();
        for (SimulatedCall call : calls) {
            call.seq = nextSeq();
            SimulatedMaster.Look look = call.master.take(call, nowNanos, replies, published);
            note(call + " is carried out");
            if (look != null) {
                ledger.executed(look);
            }
            call.link.executed(call);
        }
        if (replies.hasNext()) {
            throw new AssertionError("more replies than commands");
        }
        for (int i = 0; i < published.size(); i += 2) {
            publish(Layout.text(published.get(i)), Layout.text(published.get(i + 1)));
        }
    }

    private void publish(String channel, String text) {
        if (isHealed || !chance(4)) {
            links.forEach(link -> link.message(channel, text));
        }
    }

    void deliver(SimulatedCall call, Reply reply) {
        note(call + " is answered " + reply.outcome());
        delivering = call;
        try {
            call.call.answered(reply);
        } finally {
            delivering = null;
        }
    }

    /** The call whose reply is being delivered, if any. */
    @Nullable
    SimulatedCall delivering() {
        return delivering;
    }

    boolean losesAwaited() {
        return !isHealed && chance(12);
    }

    // ---- what comes late

    /** The server has these, and may carry them out or not. */
    void late(List<SimulatedCall> calls) {
        if (hasLateCopies && !isHealed) {
            calls.forEach(call -> late.add(new Late(call, call.master.generation)));
        }
    }

    /** One of those, in the order in which they were sent over each connection; null when there is none now. */
    @Nullable
    SimulatedCall nextLate() {
        late.removeIf(each -> each.generation != each.call.master.generation);
        if (late.isEmpty()) {
            return null;
        }
        SimulatedCall any = late.get(random.nextInt(late.size())).call;
        for (int i = 0; i < late.size(); i++) {
            SimulatedCall first = late.get(i).call;
            if (first.link == any.link && first.connection == any.connection) {
                late.remove(i);
                return nowNanos < first.master.downNanos ? null : first;
            }
        }
        throw new AssertionError("it is one of them");
    }
}
