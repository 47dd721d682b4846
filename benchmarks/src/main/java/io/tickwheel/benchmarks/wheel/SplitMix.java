package io.tickwheel.benchmarks.wheel;

/**
 * Seeded random numbers at the price of two multiplications. After G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom
 * Number Generators", OOPSLA 2014. Not thread-safe.
 */
public final class SplitMix {

    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    public SplitMix(long seed) {
        state = seed;
    }

    public long next() {
        state += GAMMA;
        return mix(state);
    }

    /** The random number of a place: the same for each call, as that of a generator which has come to {@code place}. */
    public static long at(long place) {
        return mix(place * GAMMA);
    }

    private static long mix(long state) {
        long mixed = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** A number below {@code bound} out of the lower half of {@code random}. */
    static int lower(long random, int bound) {
        return (int) (((random & 0xFFFF_FFFFL) * bound) >>> 32);
    }

    /** A number below {@code bound}, which has 32 bits at most, out of the upper half of {@code random}. */
    static long upper(long random, long bound) {
        return ((random >>> 33) * bound) >>> 31;
    }
}
