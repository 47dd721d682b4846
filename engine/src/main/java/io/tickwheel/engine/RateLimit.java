package io.tickwheel.engine;

/**
 * How many attempts of a queue may start a second, on all nodes together; retries count as first attempts do. Immutable.
 *
 * @param perSecond how many: {@value #LEAST} to {@value #MOST}
 * @param burst how many may start at once after a time in which none did: 1 to {@value #MOST_BURST}
 */
public record RateLimit(double perSecond, int burst) {

    /** One attempt in a thousand seconds. */
    public static final double LEAST = 0.001;

    public static final double MOST = 1_000_000;
    public static final int MOST_BURST = 1_000_000;

    /** The burst of {@link #of} is what comes together in this part of a second. */
    private static final double PART_OF_SECOND = 1.0 / 20;

    public RateLimit {
        // Written so that NaN is refused too.
        if (!(perSecond >= LEAST && perSecond <= MOST)) {
            throw new IllegalArgumentException("perSecond is " + perSecond + ", must be " + LEAST + " to " + MOST);
        }
        if (burst < 1 || burst > MOST_BURST) {
            throw new IllegalArgumentException("burst is " + burst + ", must be 1 to " + MOST_BURST);
        }
    }

    /** So many a second, with the burst of a twentieth of a second: so no second has more than a twentieth too many. */
    public static RateLimit of(double perSecond) {
        return new RateLimit(perSecond, (int) Math.max(1, Math.min(MOST, perSecond) * PART_OF_SECOND));
    }
}
