package io.tickwheel.server.audit;

import java.util.List;

/**
 * What became of the parts of a call that has several. Immutable.
 *
 * @param done how many were carried out
 * @param refused how many were not
 * @param queues those of the parts, each once; a line names the first of them, and says how many more there are
 */
public record AuditCount(int done, int refused, List<String> queues) {

    public AuditCount {
        queues = List.copyOf(queues);
    }
}
