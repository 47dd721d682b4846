package io.tickwheel.store.redis.namespace;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes are alive, and which of them is to own which partition: the one with the highest hash of both (rendezvous
 * hashing, Thaler and Ravishankar 1996), so that a node that comes or goes moves its own partitions only. Opinions may differ
 * for a while; that costs time and nothing else, as a partition has one owner by its lease and epoch. Used by the loop only.
 */
public final class Membership {

    private static final Script BEAT = Script.named("beat");

    private final Layout layout;
    private final NamespaceWatch namespace;
    private final String node;
    private final long self;
    private final long leaseMs;
    private List<String> nodes = List.of();
    private List<Long> others = List.of();
    private int changes;
    private boolean taken;

    /** Another incarnation that has the name, with its last heartbeat; empty for none. */
    private String rival = "";

    /** By which others are alive; 0 while it is that of this node. */
    private long otherLeaseMs;

    /** The doubt about the namespace that the next heartbeat was hurried for. */
    private int hurriedDoubt;

    private boolean leaving;
    private boolean beating;
    private long beatNanos;
    private long nextNanos;

    /** @param self a random number of this opening */
    public Membership(Layout layout, NamespaceWatch namespace, String node, long self, long leaseMs, long nowNanos) {
        this.layout = layout;
        this.namespace = namespace;
        this.node = node;
        this.self = self;
        this.leaseMs = leaseMs;
        this.nextNanos = nowNanos;
    }

    public String node() {
        return node;
    }

    /** The number of this opening. */
    public long self() {
        return self;
    }

    /** The numbers of the openings of the other nodes that are alive. */
    public List<Long> others() {
        return others;
    }

    /** Rises whenever other nodes are alive than before. */
    public int changes() {
        return changes;
    }

    /**
     * Whether another process uses the name of this node: its heart was seen beating. One that only stands there may have been dead for
     * long, on a server that a failover has made forget that it left, and who has its name since.
     */
    public boolean isTaken() {
        return taken;
    }

    /** Whether the name stands there for another incarnation, dead or alive. */
    public boolean isHeld() {
        return !rival.isEmpty();
    }

    /** The lease by which others are alive, when it is not that of this node; else 0. */
    public long otherLeaseMs() {
        return otherLeaseMs;
    }

    /** It was alive, and has given the name away since. */
    public void forgetTaken() {
        taken = false;
    }

    /** The node that is to own a partition; empty when none is known. */
    public String owner(int partition) {
        String best = "";
        long bestScore = 0;
        for (String each : nodes) {
            long score = score(each, partition);
            if (best.isEmpty() || Long.compareUnsigned(score, bestScore) > 0) {
                best = each;
                bestScore = score;
            }
        }
        return best;
    }

    private static long score(String node, int partition) {
        CRC32C crc = new CRC32C();
        crc.update(node.getBytes(StandardCharsets.UTF_8));
        // The finalizer of MurmurHash3: every bit of the result depends on every bit of both.
        long mixed = crc.getValue() << 32 | partition;
        mixed = (mixed ^ mixed >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }

    /** Beats when it is time to. */
    public void work(long nowNanos, Link link) {
        if (!beating && nowNanos - nextNanos >= 0) {
            beating = true;
            beatNanos = nowNanos;
            nextNanos = nowNanos + leaseMs * 1_000_000 / 4;
            link.send(beat(leaving));
        }
    }

    /** Tells the others that this node is going: from now on it does not count itself. */
    public void leave(long nowNanos) {
        leaving = true;
        nextNanos = nowNanos;
        nodes = nodes.stream().filter(each -> !each.equals(node)).toList();
    }

    /** Looks again soon: somebody said that something changed. */
    public void hurry(long nowNanos) {
        nextNanos = nowNanos;
    }

    /** Looks at once whether the namespace is there, as somebody has come to doubt it; once for each doubt. */
    public void hurryOnce(long nowNanos) {
        if (hurriedDoubt != namespace.doubts()) {
            hurriedDoubt = namespace.doubts();
            hurry(nowNanos);
        }
    }

    /** A heartbeat, or the last one. */
    public Call beat(boolean leaving) {
        return new Beat(leaving);
    }

    private final class Beat extends Call {

        private final boolean isLast;
        private final int doubts = namespace.doubts();

        Beat(boolean leaving) {
            super(
                    layout.homeSlot(),
                    BEAT,
                    List.of(layout.homeKey("nodes"), layout.homeKey("ids"), layout.homeKey("config")),
                    List.of(
                            Layout.bytes(node),
                            Layout.bytes(FormatCheck.mark() + Long.toHexString(self)),
                            Layout.bytes(Long.toString(leaseMs)),
                            Layout.bytes(leaving ? "1" : "0"),
                            Layout.bytes(layout.channel("")),
                            Text.bytes(Layout.FORMAT),
                            Text.bytes(layout.partitions),
                            Text.bytes(namespace.id()),
                            namespace.goneText(),
                            namespace.made().unwritten()),
                    Durability.MEMORY);
            this.isLast = leaving;
        }

        @Override
        public void answered(Reply reply) {
            beating = false;
            if (reply.outcome() != Reply.Outcome.DONE || !(reply.value() instanceof List<?> answer)) {
                if (!namespace.isThere()) {
                    // Everything waits for it.
                    nextNanos = beatNanos + leaseMs * 1_000_000 / 40;
                }
                return;
            }
            Values rest = new Values(answer.subList(2, answer.size()));
            otherLeaseMs = 0;
            switch (Math.toIntExact((Long) answer.get(1))) {
                case 0 -> {
                    namespace.foundSame(doubts);
                    rival = "";
                    takeNodes(new Values(rest.list()), new Values(rest.list()));
                    namespace.made().take(rest.hasNext() ? rest.text() : "");
                }
                case 1 -> {
                    namespace.foundSame(doubts);
                    meet(rest.text() + " " + rest.text());
                }
                case 2 ->
                    namespace.foundOther(rest.text(), rest.text(), !rest.text().isEmpty());
                default -> {
                    otherLeaseMs = Long.parseLong(rest.text());
                    List<String> alive = new ArrayList<>();
                    while (rest.hasNext()) {
                        alive.add(rest.text());
                    }
                    namespace.foundOtherLease(Duration.ofMillis(otherLeaseMs), Duration.ofMillis(leaseMs), alive);
                }
            }
        }

        private void meet(String other) {
            taken |= !isLast && !rival.isEmpty() && !rival.equals(other);
            rival = other;
        }

        private void takeNodes(Values names, Values incarnations) {
            List<String> alive = new ArrayList<>();
            List<Long> known = new ArrayList<>();
            while (names.hasNext()) {
                String name = names.text();
                Long opening = opening(incarnations.text());
                if (!leaving || !name.equals(node)) {
                    alive.add(name);
                }
                if (!name.equals(node) && opening != null) {
                    known.add(opening);
                }
            }
            Collections.sort(alive);
            Collections.sort(known);
            if (!known.equals(others)) {
                others = List.copyOf(known);
            }
            if (!alive.equals(nodes)) {
                nodes = alive;
                changes++;
            }
        }
    }

    /** The number of an opening, of what it has written as its incarnation; null when it is none. */
    private static @Nullable Long opening(String incarnation) {
        if (!incarnation.startsWith(FormatCheck.mark())) {
            return null;
        }
        try {
            return Long.parseUnsignedLong(
                    incarnation.substring(FormatCheck.mark().length()), 16);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
