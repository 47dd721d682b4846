package io.tickwheel.server.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which timers of a queue are meant. */
final class TimerFilter {

    @Option(names = "--prefix", paramLabel = "TEXT", description = "Those whose keys begin so.")
    private @Nullable String prefix;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description =
                    "Those whose next attempt is due, or whose last one was, then or later: RFC 3339, or milliseconds since the epoch.")
    private @Nullable String from;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            description = "Those whose next attempt is due, or whose last one was, before then.")
    private @Nullable String to;

    ApiPath addTo(ApiPath path) {
        if (from != null) {
            WhenText.checkTime("--from", from);
        }
        if (to != null) {
            WhenText.checkTime("--to", to);
        }
        return path.with("keyPrefix", prefix).with("dueFrom", from).with("dueTo", to);
    }

    /** Whether no timer is left out. */
    boolean isAll() {
        return prefix == null && from == null && to == null;
    }
}
