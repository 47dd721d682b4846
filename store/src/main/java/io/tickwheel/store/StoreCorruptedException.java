package io.tickwheel.store;

/** Something that was accepted cannot be read back. The store was left as it is; the message names file and offset. */
public final class StoreCorruptedException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final String file;
    private final long offset;
    private final String what;

    public StoreCorruptedException(String file, long offset, String what) {
        super("corrupt store: " + what + " (file " + file + ", offset " + offset + ")");
        this.file = file;
        this.offset = offset;
        this.what = what;
    }

    /** The damaged file, relative to the store's directory. */
    public String file() {
        return file;
    }

    /** Where in the file the damage begins, in bytes. */
    public long offset() {
        return offset;
    }

    /** What is damaged, without where. */
    public String what() {
        return what;
    }
}
