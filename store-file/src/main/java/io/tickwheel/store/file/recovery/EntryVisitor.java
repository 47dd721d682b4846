package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.table.Run;

/** Learns of an entry of a run, which may have ended. */
interface EntryVisitor {

    /**
     * Looks at it.
     *
     * @param entry in view; not to be moved
     */
    void visit(Run run, int ordinal, RunEntry entry);
}
