package io.tickwheel.store.file;

/**
 * A copy of a store that was made, or was put back.
 *
 * @param files how many files it has
 * @param bytes how long they are together
 * @param endLsn the position in the log up to which the copy knows what was accepted
 */
public record StoreBackup(int files, long bytes, long endLsn) {}
