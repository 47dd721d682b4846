package io.tickwheel.store.redis;

import io.tickwheel.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads all that lies in a namespace and says what contradicts its layout. Changes nothing, and nodes may go on meanwhile: what
 * is reported was looked at in one moment, or seen twice. Reads each timer twice, in pieces of about a hundred.
 */
public final class RedisVerification {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String LETTERS = "mrinfxeq";
    private static final Set<String> HOME_KEYS = Set.of("config", "nodes", "ids");

    private final Inquiry inquiry;
    private final Layout layout;
    private final Tally tally = new Tally();

    private RedisVerification(Inquiry inquiry, Layout layout) {
        this.inquiry = inquiry;
        this.layout = layout;
    }

    /**
     * Something that must not be so.
     *
     * @param partition which one; empty for a key that is of none
     * @param key of Redis
     * @param field the part of the key; empty for the key as a whole. The zero byte between queue and key is shown as a slash
     * @param what is wrong
     */
    public record Finding(OptionalInt partition, String key, String field, String what) {}

    /**
     * What came of it.
     *
     * @param partitions how many there are
     * @param pending timers in slices
     * @param claimed timers in flight
     * @param dead timers that were given up
     * @param finished other timers that are remembered
     * @param slices how many are not empty
     * @param nearInserts how many wait for their owners
     * @param idleNearInserts how many of these are of no use: they name a timer that no owner has to load
     * @param restless partitions that changed too often for their counts of queues to be checked
     * @param findings what is wrong; at most {@value #MOST_FINDINGS}
     * @param moreFindings how many there are beside these
     */
    public record Report(
            int partitions,
            long pending,
            long claimed,
            long dead,
            long finished,
            long slices,
            long nearInserts,
            long idleNearInserts,
            int restless,
            List<Finding> findings,
            long moreFindings) {

        /** The most findings of a report. */
        public static final int MOST_FINDINGS = 1_000;

        public Report {
            findings = List.copyOf(findings);
        }

        /** Whether nothing is wrong. */
        public boolean isSound() {
            return findings.isEmpty();
        }
    }

    /** A report that is being made. */
    static final class Tally {

        long pending;
        long claimed;
        long dead;
        long finished;
        long slices;
        long nearInserts;
        long idleNearInserts;
        int restless;
        private final List<Finding> findings = new ArrayList<>();
        private long moreFindings;

        void found(Finding finding) {
            if (findings.size() < Report.MOST_FINDINGS) {
                findings.add(finding);
            } else {
                moreFindings++;
            }
        }

        Report report(int partitions) {
            return new Report(
                    partitions,
                    pending,
                    claimed,
                    dead,
                    finished,
                    slices,
                    nearInserts,
                    idleNearInserts,
                    restless,
                    findings,
                    moreFindings);
        }
    }

    /**
     * Verifies a namespace. Blocks until it is done, which for many timers takes minutes.
     *
     * @throws io.tickwheel.store.StoreUnavailableException when Redis does not answer
     * @throws StoreException when there is no such namespace, or one of another format
     */
    @SuppressForbidden(reason = "people call it, and no engine: the clock only says how long Redis takes to answer")
    public static Report verify(RedisAddress address, String namespace) {
        try (Link link = LettuceLink.open(address, TIMEOUT, System::nanoTime, () -> {})) {
            return verify(link, namespace);
        }
    }

    static Report verify(Link link, String namespace) {
        Inquiry inquiry = new Inquiry(link, TIMEOUT);
        return new RedisVerification(inquiry, layout(inquiry, namespace)).verify();
    }

    /** @throws StoreException when there is no such namespace, or one of another format */
    static Layout layout(Inquiry inquiry, String namespace) {
        Layout one = new Layout(namespace, 1);
        Values in = new Values(inquiry.ask(
                one.homeSlot(),
                "HMGET",
                List.of(one.homeKey("config")),
                List.of(Layout.bytes("format"), Layout.bytes("partitions"))));
        String format = in.textOrEmpty();
        String partitions = in.textOrEmpty();
        if (!format.equals(Integer.toString(Layout.FORMAT)) && !format.equals(Integer.toString(Layout.FORMER_FORMAT))) {
            throw new StoreException("the namespace " + namespace + " has format '" + format + "', must have format "
                    + Layout.FORMER_FORMAT + " or " + Layout.FORMAT);
        }
        return Layout.written(namespace, partitions);
    }

    private Report verify() {
        List<Set<String>> slices = new ArrayList<>();
        for (int p = 0; p < layout.partitions; p++) {
            slices.add(new HashSet<>());
        }
        gatherKeys(slices);
        for (int p = 0; p < layout.partitions; p++) {
            new PartitionCheck(inquiry, layout, p, tally).check(slices.get(p));
        }
        return tally.report(layout.partitions);
    }

    /** Finds the slices that there are, whatever the directories say, and keys that there must not be. */
    private void gatherKeys(List<Set<String>> slices) {
        Map<String, Integer> prefixes = new HashMap<>();
        for (int p = 0; p < layout.partitions; p++) {
            prefixes.put(Layout.text(layout.key(p, "")), p);
        }
        for (int slot : inquiry.slotOfEachMaster(layout)) {
            inquiry.scanKeys(slot, layout.namespace + ":*", key -> gatherKey(prefixes, slices, Layout.text(key)));
        }
    }

    private void gatherKey(Map<String, Integer> prefixes, List<Set<String>> slices, String key) {
        int nameAt = key.indexOf("}:") + 2;
        String name = key.substring(nameAt);
        Integer partition = prefixes.get(key.substring(0, nameAt));
        if (partition != null && isSlice(name)) {
            slices.get(partition).add(name.substring(1));
        } else if (!(partition != null && isOfAPartition(name))
                && !(HOME_KEYS.contains(name) && key.equals(Layout.text(layout.homeKey(name))))) {
            tally.found(new Finding(optional(partition), key, "", "is no key of the layout"));
        }
    }

    private static OptionalInt optional(@Nullable Integer partition) {
        return partition == null ? OptionalInt.empty() : OptionalInt.of(partition);
    }

    /** Whether a partition has a key of that name, other than slices. */
    private static boolean isOfAPartition(String name) {
        return (name.length() == 1 && LETTERS.contains(name)) || name.matches("a[0-9a-f]{1,16}");
    }

    private static boolean isSlice(String name) {
        return name.matches("z[nf](0|-?[1-9][0-9]{0,14})");
    }
}
