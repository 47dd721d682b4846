package io.tickwheel.store.testkit;

/** An error the {@link SimulatedDisk} can report, once, for good, or by chance. */
public enum DiskFault {
    /** A read, listing or attribute query fails. */
    READ_ERROR("Input/output error"),

    /** A write fails after any number of its bytes, or a truncation fails without effect. */
    WRITE_ERROR("Input/output error"),

    /** A write returns normally but takes fewer bytes than given; none at all never twice in a row. */
    SHORT_WRITE(""),

    /** A write fails after any number of its bytes, or a new file is refused, for want of space. */
    NO_SPACE("No space left on device"),

    /**
     * A sync of a file fails. Any part of what was unsynced reached the disk; the rest stays readable but will never be
     * written. Every channel that was open then reports one error; after that, syncs return normally.
     */
    SYNC_ERROR("Input/output error"),

    /** As {@link #SYNC_ERROR}, where space was promised to the write and found missing by the sync. */
    SYNC_NO_SPACE("No space left on device"),

    /**
     * A sync of a directory fails. Some first of the uncommitted directory operations reached the disk, and the journal
     * is aborted: the file system is read-only until the power is lost, and then the others are gone.
     */
    JOURNAL_ERROR("Input/output error"),

    /** An open, create, rename, delete or mkdir fails without effect. */
    METADATA_ERROR("Input/output error"),

    /** An open, create or listing fails without effect, as the process has too many files open. */
    NO_DESCRIPTOR("Too many open files");

    private final String message;

    DiskFault(String message) {
        this.message = message;
    }

    String message() {
        return message;
    }

    boolean appliesTo(DiskOperation operation) {
        return switch (this) {
            case READ_ERROR ->
                switch (operation) {
                    case READ, LIST, STAT -> true;
                    default -> false;
                };
            case WRITE_ERROR -> operation == DiskOperation.WRITE || operation == DiskOperation.TRUNCATE;
            case SHORT_WRITE -> operation == DiskOperation.WRITE;
            case NO_SPACE -> operation == DiskOperation.WRITE || operation == DiskOperation.CREATE;
            case SYNC_ERROR, SYNC_NO_SPACE -> operation == DiskOperation.SYNC;
            case JOURNAL_ERROR -> operation == DiskOperation.SYNC_DIRECTORY;
            case METADATA_ERROR ->
                switch (operation) {
                    case OPEN, CREATE, RENAME, DELETE, MKDIR -> true;
                    default -> false;
                };
            case NO_DESCRIPTOR ->
                switch (operation) {
                    case OPEN, CREATE, LIST -> true;
                    default -> false;
                };
        };
    }
}
