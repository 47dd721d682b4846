package io.tickwheel.store.testkit;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Which faults are armed. Each kind has at most one rule, asked once for every operation the kind applies to. */
final class FaultPlan {
    private final Map<DiskFault, Rule> rules = new EnumMap<>(DiskFault.class);

    void failOnce(DiskFault fault, long after) {
        rules.put(fault, new Once(after));
    }

    void failFrom(DiskFault fault, long after) {
        rules.put(fault, new From(after));
    }

    void failRandomly(DiskFault fault, double probability) {
        rules.put(fault, random -> random.nextDouble() < probability);
    }

    void clear() {
        rules.clear();
    }

    /** The fault the operation is to suffer; every rule counts it, the first in the order of the enum wins. */
    @Nullable
    DiskFault next(DiskOperation operation, SplittableRandom random) {
        DiskFault first = null;
        for (Map.Entry<DiskFault, Rule> armed : rules.entrySet()) {
            DiskFault fault = armed.getKey();
            if (fault.appliesTo(operation) && armed.getValue().fires(random) && first == null) {
                first = fault;
            }
        }
        return first;
    }

    private interface Rule {
        boolean fires(SplittableRandom random);
    }

    private static final class Once implements Rule {
        private long left;

        Once(long after) {
            left = after;
        }

        @Override
        public boolean fires(SplittableRandom random) {
            return left-- == 0;
        }
    }

    private static final class From implements Rule {
        private long left;

        From(long after) {
            left = after;
        }

        @Override
        public boolean fires(SplittableRandom random) {
            return left == 0 || left-- == 0;
        }
    }
}
