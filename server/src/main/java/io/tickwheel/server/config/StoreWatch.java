package io.tickwheel.server.config;

/** Told how far a look through a store has come, on the thread that looks. */
public interface StoreWatch {

    /**
     * Some of the bytes of a directory were read.
     *
     * @param done so far
     * @param total how many there are, as far as it is known by then
     */
    void bytes(long done, long total);

    /**
     * Some of the partitions of a namespace were looked at.
     *
     * @param done so far
     * @param total how many there are
     */
    void partitions(long done, long total);
}
