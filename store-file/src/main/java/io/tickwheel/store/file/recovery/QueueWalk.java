package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.table.Run;
import java.util.List;

/** Goes along the entries of all lanes that a queue has in runs, without a look at those of others. Owned by the loop. */
final class QueueWalk {

    /** What visiting an entry costs that may stand anywhere, in those of one who visits all of them. */
    private static final int READ = 32;

    /** A lane of the queue in a run. */
    record Part(Run run, int position) {

        RunFormat.LaneName name() {
            return run.names().get(position);
        }
    }

    final String queue;

    private final List<Part> parts;
    private final EntryVisitor visitor;
    private int next;
    private RunEntry entry;
    private int ordinal;
    private int left;

    /** @param parts at least one */
    QueueWalk(String queue, List<Part> parts, EntryVisitor visitor) {
        this.queue = queue;
        this.parts = parts;
        this.visitor = visitor;
        this.entry = begin(parts.get(0));
    }

    private RunEntry begin(Part part) {
        ordinal = part.name().first();
        left = part.name().timers();
        return new RunEntry(part.run.file());
    }

    boolean isAtEnd() {
        return next == parts.size();
    }

    /**
     * Goes on, by a step at least, unless it is at its end.
     *
     * @return what it cost, at least 1
     */
    int work(int budget) {
        int used = 0;
        do {
            used += left > 0 && !entry.isNear(ordinal) ? READ : 1;
            if (left > 0) {
                step(parts.get(next).run);
            } else if (++next < parts.size()) {
                entry = begin(parts.get(next));
            }
        } while (used < budget && !isAtEnd());
        return used;
    }

    private void step(Run run) {
        visitor.visit(run, ordinal, entry.moveTo(ordinal));
        left--;
        int following = entry.next();
        if (left > 0 && (following <= ordinal || following >= run.count())) {
            throw run.file().corrupt(entry.recordOffset(), "entry " + ordinal + " is followed by " + following);
        }
        ordinal = following;
    }
}
