package io.tickwheel.store.file.recovery;

import java.util.BitSet;
import java.util.Set;

/** Hashes of keys that are looked for among many others. */
final class Sought {

    private static final int FILTER_BITS = 16;

    final Set<Long> hashes;

    /** Their first bits, for those that are none of them. */
    private final BitSet firstBits = new BitSet(1 << FILTER_BITS);

    Sought(Set<Long> hashes) {
        this.hashes = hashes;
        hashes.forEach(hash -> firstBits.set(firstBits(hash)));
    }

    boolean has(long hash) {
        return firstBits.get(firstBits(hash)) && hashes.contains(hash);
    }

    private static int firstBits(long hash) {
        return (int) (hash >>> (Long.SIZE - FILTER_BITS));
    }
}
