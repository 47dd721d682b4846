package io.tickwheel.store.file;

import java.util.List;

/**
 * What came of reading all of a store.
 *
 * @param segments how many segments of the log were read
 * @param logRecords how many records of the log were read
 * @param runs how many runs were read
 * @param timers how many timers of runs were read, of those that had not ended at the last checkpoint
 * @param damages what could not be read; empty when all could
 */
public record StoreVerification(int segments, long logRecords, int runs, long timers, List<StoreDamage> damages) {

    public StoreVerification {
        damages = List.copyOf(damages);
    }
}
