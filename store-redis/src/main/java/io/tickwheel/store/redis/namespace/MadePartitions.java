package io.tickwheel.store.redis.namespace;

import io.tickwheel.store.redis.layout.Text;
import java.util.BitSet;
import java.util.stream.Collectors;

/**
 * Which partitions of the namespace were made for good: owned for so long that no failover forgets it. It stands in the settings; one that nobody seems to
 * have ever owned nevertheless has lost what it held. Used by the loop only.
 */
public final class MadePartitions {

    private final BitSet written = new BitSet();
    private final BitSet unwritten = new BitSet();

    /** Whether that is written down. */
    public boolean has(int partition) {
        return written.get(partition);
    }

    /** This node has owned one for long. */
    public void note(int partition) {
        if (!written.get(partition)) {
            unwritten.set(partition);
        }
    }

    /** Those that are to be written down, as scripts take them. */
    byte[] unwritten() {
        return Text.bytes(unwritten.stream().mapToObj(Integer::toString).collect(Collectors.joining(",")));
    }

    /**
     * Takes what is written down.
     *
     * @param marks 1 for each that was made, in the order of partitions
     */
    void take(String marks) {
        written.clear();
        for (int i = 0; i < marks.length(); i++) {
            written.set(i, marks.charAt(i) == '1');
        }
        unwritten.andNot(written);
    }

    /** It is another namespace from now on. */
    void forget() {
        written.clear();
        unwritten.clear();
    }
}
