package io.tickwheel.server.crash;

import org.jspecify.annotations.Nullable;

/**
 * One server process.
 *
 * @param number counts the processes, from 1
 * @param ready when it first said that it is ready; null when it was killed before
 * @param killed just before the signal was sent; null for the last one
 */
record LedgerLifetime(
        int number, @Nullable LedgerMoment ready, @Nullable LedgerMoment killed) {}
