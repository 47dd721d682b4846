package io.tickwheel.server.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The arguments of a list of timers, and the list: as many pages as it takes. */
final class TimerPages {

    private static final int MOST = 10_000;
    private static final int MOST_OF_A_PAGE = 1_000;

    @Mixin
    private TimerFilter filter = new TimerFilter();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "How many at most: 1 to " + MOST + " (default: ${DEFAULT-VALUE}).")
    private String limit = "";

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "Where the list before has ended: its next.")
    private @Nullable String cursor;

    void print(RemoteServer server, String queue, @Nullable String state, List<String> columns, Output output) {
        int most = ToolArguments.integer("--limit", limit, 1, MOST);
        List<Object> timers = new ArrayList<>();
        String next = cursor;
        do {
            int wanted = Math.min(MOST_OF_A_PAGE, most - timers.size());
            ApiPath path = filter.addTo(ApiPath.timers(queue))
                    .with("state", state)
                    .with("limit", Integer.toString(wanted))
                    .with("cursor", next);
            RemoteServer.Page page = server.page(path, "timers", next);
            timers.addAll(page.elements());
            next = page.next();
        } while (next != null && timers.size() < most);
        output.print("timers", timers, columns, next);
    }
}
