package io.tickwheel.store.redis.faults;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.redis.layout.Layout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;

/** Who owns what, as Redis has it. */
final class Owners {

    private final Layout layout;
    private final IntFunction<RedisServer> masterOfSlot;

    Owners(NodeSetup setup, IntFunction<RedisServer> masterOfSlot) {
        this.layout = new Layout(setup.namespace(), setup.partitions());
        this.masterOfSlot = masterOfSlot;
    }

    /** The owner of the partition of a key; empty when it has none. */
    String of(String key) {
        return ofPartition(partition(key));
    }

    int partition(String key) {
        return layout.partition(Layout.field(new TimerKey(NodeEngine.QUEUE, key)));
    }

    private String ofPartition(int partition) {
        return Optional.ofNullable(masterOfSlot
                        .apply(layout.slot(partition))
                        .command("HGET", new String(layout.key(partition, "m"), StandardCharsets.UTF_8), "owner"))
                .map(Object::toString)
                .orElse("");
    }

    /** All that own something. */
    Set<String> all() {
        Set<String> owners = new TreeSet<>();
        for (int p = 0; p < layout.partitions; p++) {
            owners.add(ofPartition(p));
        }
        return owners;
    }

    /** Waits until the node owns something, and returns a key with that beginning that is its. */
    String keyOf(String node, String prefix) {
        StringBuilder found = new StringBuilder();
        Patience.until(node + " owns something", () -> {
            for (int i = 0; i < 4 * layout.partitions && found.isEmpty(); i++) {
                String key = prefix + i;
                if (of(key).equals(node)) {
                    found.append(key);
                }
            }
            return !found.isEmpty();
        });
        return found.toString();
    }
}
