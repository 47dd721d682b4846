package io.tickwheel.server.cli;

import io.tickwheel.engine.BulkRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a bulk run does to which timers. */
final class BulkArguments {

    @Mixin
    private TimerFilter filter = new TimerFilter();

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Those whose last attempt failed for a reason that begins so.")
    private @Nullable String reason;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "How many are changed in a second: 1 to 100000 (default: 1000).")
    private @Nullable String rate;

    @Option(names = "--dry-run", description = "Only counts them.")
    private boolean dryRun;

    ApiPath addTo(ApiPath path) {
        if (rate != null) {
            ToolArguments.integer("--rate", rate, 1, BulkRequest.MOST_PER_SECOND);
        }
        return filter.addTo(path).with("reason", reason).with("perSecond", rate).with("dryRun", dryRun ? "true" : null);
    }

    /** Whether no timer is left out. */
    boolean isAll() {
        return filter.isAll() && reason == null;
    }
}
