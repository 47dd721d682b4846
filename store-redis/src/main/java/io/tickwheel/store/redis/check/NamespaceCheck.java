package io.tickwheel.store.redis.check;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.query.BlockingQuery;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Verifies a namespace: looks for keys that must not be there, and has each partition verified. Blocks. */
public final class NamespaceCheck {

    private static final String LETTERS = "mrinfxeq";
    private static final Set<String> HOME_KEYS = Set.of("config", "nodes", "ids");

    /** Told how many partitions were checked, of how many. */
    public interface Checked {
        void at(int done, int total);
    }

    private final BlockingQuery query;
    private final Layout layout;
    private final Tally tally;

    private NamespaceCheck(BlockingQuery query, Layout layout, Tally tally) {
        this.query = query;
        this.layout = layout;
        this.tally = tally;
    }

    /**
     * Verifies a namespace.
     *
     * @param mostFound how many contradictions are kept
     * @param progress told, after each partition, how many were checked, and how many there are
     * @throws StoreException when there is no such namespace, or one of another format
     */
    public static CheckResult check(BlockingQuery query, String namespace, int mostFound, Checked progress) {
        Layout layout = layout(query, namespace);
        Tally tally = new Tally(layout.partitions, mostFound);
        new NamespaceCheck(query, layout, tally).check(progress);
        return tally.result();
    }

    /**
     * Reads the layout of a namespace from its settings.
     *
     * @throws StoreException when there is no such namespace, or one of another format
     */
    public static Layout layout(BlockingQuery query, String namespace) {
        Layout one = new Layout(namespace, 1);
        Values in = new Values(query.ask(
                one.homeSlot(),
                "HMGET",
                List.of(one.homeKey("config")),
                List.of(Layout.bytes("format"), Layout.bytes("partitions"))));
        String format = in.textOrEmpty();
        String partitions = in.textOrEmpty();
        if (!isRead(format)) {
            throw new StoreException("the namespace " + namespace + " has format '" + format + "', must have format "
                    + Layout.OLDEST_FORMAT + " to " + Layout.FORMAT);
        }
        return Layout.written(namespace, partitions);
    }

    private static boolean isRead(String format) {
        return IntStream.rangeClosed(Layout.OLDEST_FORMAT, Layout.FORMAT)
                .mapToObj(Integer::toString)
                .anyMatch(format::equals);
    }

    private void check(Checked progress) {
        List<Set<String>> slices = new ArrayList<>();
        for (int p = 0; p < layout.partitions; p++) {
            slices.add(new HashSet<>());
        }
        gatherKeys(slices);
        for (int p = 0; p < layout.partitions; p++) {
            new PartitionCheck(new CheckedPartition(query, layout, p, tally)).check(slices.get(p));
            progress.at(p + 1, layout.partitions);
        }
    }

    /** Finds the slices that there are, whatever the directories say, and keys that there must not be. */
    private void gatherKeys(List<Set<String>> slices) {
        Map<String, Integer> prefixes = new HashMap<>();
        for (int p = 0; p < layout.partitions; p++) {
            prefixes.put(Layout.text(layout.key(p, "")), p);
        }
        for (int slot : query.slotOfEachMaster(layout)) {
            query.scanKeys(slot, layout.namespace + ":*", key -> gatherKey(prefixes, slices, Layout.text(key)));
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
            tally.found(new Contradiction(optional(partition), key, "", "is no key of the layout"));
        }
    }

    private static OptionalInt optional(@Nullable Integer partition) {
        return partition == null ? OptionalInt.empty() : OptionalInt.of(partition);
    }

    /** Whether a partition has a key of that name, other than slices. */
    private static boolean isOfAPartition(String name) {
        return (name.length() == 1 && LETTERS.contains(name)) || name.matches("(?s)a[0-9a-f]{1,16}|l.+");
    }

    private static boolean isSlice(String name) {
        return name.matches("z[nf](0|-?[1-9][0-9]{0,14})");
    }
}
