package io.tickwheel.wheel;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random calls, compared after each with a sorted list of what must happen. */
@Tag("simulated")
class WheelModelTest {
    private static final int SEEDS = 20;
    private static final int OPERATIONS = 3_000;

    private static final long[] START_TICKS = {
        0,
        1,
        0xFFF0,
        (1L << 24) - 3,
        (1L << 32) - 100,
        (1L << 40) - 100_000,
        (1L << 62) - 1_000_000,
        1L << 62,
        Long.MAX_VALUE - (1L << 41),
        Long.MAX_VALUE - (1L << 20)
    };

    @ParameterizedTest
    @EnumSource
    void everyCallDoesWhatTheModelSays(Kind kind) {
        for (long startTick : START_TICKS) {
            for (long seed = 0; seed < SEEDS; seed++) {
                WheelModel model = new WheelModel(kind.wheel(startTick, (int) seed), seed);
                try {
                    model.run(OPERATIONS);
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError("start tick " + startTick + ", seed " + seed + ", " + model, e);
                }
            }
        }
    }

    /** The wheels, of more than one shape where they have a choice. */
    enum Kind {
        HASHED {
            @Override
            AnyWheel wheel(long startTick, int variant) {
                int slots = variant % 3 == 0 ? 3 + 5 * variant : 1 << (variant % 13);
                return AnyWheel.hashed(startTick, slots, new AnyWheel.Nodes());
            }
        },
        HIERARCHICAL {
            @Override
            AnyWheel wheel(long startTick, int variant) {
                return AnyWheel.hierarchical(startTick, new AnyWheel.Nodes());
            }
        },
        LONG {
            @Override
            AnyWheel wheel(long startTick, int variant) {
                int lastGeneration = variant % 2 == 0 ? Integer.MAX_VALUE : variant;
                return AnyWheel.primitive(new LongWheel(startTick, new Entries(Entries.MAX_ENTRIES, lastGeneration)));
            }
        };

        abstract AnyWheel wheel(long startTick, int variant);
    }
}
