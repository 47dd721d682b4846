package io.tickwheel.server.crash;

/**
 * How hard a crash run is.
 *
 * @param rounds how often the server is killed under load
 * @param maxDelayMs the longest delay of a timer
 * @param uptimeMs the server is killed at a random moment within this time after it is ready, and not before ...
 * @param requests ... it got a random number of requests, of at most this many
 * @param timersPerSecond how many timers all clients together make
 * @param clients how many clients there are
 * @param seed of all random choices; what the scheduler of the machine does is not among them
 */
record CrashSettings(
        int rounds, int maxDelayMs, int uptimeMs, int requests, int timersPerSecond, int clients, long seed) {

    static CrashSettings fromSystemProperties() {
        int maxDelayMs = Integer.getInteger("tickwheel.crash.maxDelayMs", 2_000);
        return new CrashSettings(
                Integer.getInteger("tickwheel.crash.rounds", 4),
                maxDelayMs,
                Integer.getInteger("tickwheel.crash.uptimeMs", Math.max(3_000, maxDelayMs / 2)),
                Integer.getInteger("tickwheel.crash.requests", 3_000),
                Integer.getInteger("tickwheel.crash.timersPerSecond", 1_500),
                4,
                Long.getLong("tickwheel.crash.seed", System.nanoTime()));
    }
}
