package io.tickwheel.store.file;

/** Told how far a call on a {@link StoreDirectory} has come, on the thread of the call and often: it should return at once. */
@FunctionalInterface
public interface ByteProgress {

    /**
     * Some bytes were read or copied.
     *
     * @param done how many so far; never less than before
     * @param total how many there are, as far as it is known by then: never less than {@code done}, and more when something is
     *     damaged, or changed meanwhile, and has to be read again
     */
    void at(long done, long total);
}
