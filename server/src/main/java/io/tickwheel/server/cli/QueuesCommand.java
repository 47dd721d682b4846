package io.tickwheel.server.cli;

import io.tickwheel.engine.RateLimit;
import io.tickwheel.server.wire.TargetKinds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code tickwheel queues}: the queues of a running server. */
@Command(
        name = "queues",
        description = "Shows, sets, pauses and deletes queues of a running server.",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class QueuesCommand {

    private static final List<String> COLUMNS = List.of("name", "pending", "claimed", "dead", "paused");

    @Mixin
    private ServerArguments arguments;

    private final TargetKinds kinds;

    QueuesCommand(Surroundings around, TargetKinds kinds) {
        this.kinds = kinds;
        this.arguments = new ServerArguments(around);
    }

    @Command(name = "list", description = "Lists all queues and how many timers they have.")
    int list() {
        Output output = arguments.output();
        RemoteServer server = arguments.connect();
        List<Object> queues = new ArrayList<>();
        String after = null;
        do {
            RemoteServer.Page page = server.page(ApiPath.queues().with("after", after), "queues", after);
            queues.addAll(page.elements());
            after = page.next();
        } while (after != null);
        output.print("queues", queues, COLUMNS, null);
        return ExitCode.OK;
    }

    @Command(name = "show", description = "Shows a queue: its counts, what is set of it, and what applies.")
    int show(@Parameters(paramLabel = "NAME", description = "The queue.") String queue) {
        return arguments.show(ApiPath.queue(queue));
    }

    @Command(name = "set", description = "Sets what is said of a queue, and leaves the rest as it is.")
    int set(
            @Parameters(index = "0", paramLabel = "NAME", description = "The queue.") String queue,
            @Parameters(
                            index = "1..*",
                            arity = "1..*",
                            paramLabel = "KEY=VALUE",
                            description = "A setting, such as rate=100, concurrency=3, retry.maxAttempts=5 or"
                                    + " \"target=POST http://shop/close\"; without a value it is not set any more.")
                    List<String> assignments) {
        return arguments.call("PATCH", ApiPath.queue(queue), QueueAssignments.toJson(assignments, kinds));
    }

    @Command(name = "pause", description = "Has no attempt of a queue start until it is resumed.")
    int pause(@Parameters(paramLabel = "NAME", description = "The queue.") String queue) {
        return arguments.call("POST", ApiPath.queue(queue).suffix("/pause"), null);
    }

    @Command(name = "resume", description = "Has attempts of a queue start again.")
    int resume(
            @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
            @Option(
                            names = "--slow-start",
                            paramLabel = "N",
                            description = "With so many attempts a second at first, and more and more.")
                    @Nullable
                    String slowStart) {
        if (slowStart != null) {
            checkRate(slowStart);
        }
        return arguments.call("POST", ApiPath.queue(queue).suffix("/resume").with("slowStart", slowStart), null);
    }

    private static void checkRate(String slowStart) {
        double rate;
        try {
            rate = Double.parseDouble(slowStart);
        } catch (NumberFormatException e) {
            rate = Double.NaN;
        }
        // Written so that NaN is refused too. How a number is to be written the server says.
        if (!(rate >= RateLimit.LEAST && rate <= RateLimit.MOST)) {
            throw ToolArguments.wrong(
                    "--slow-start",
                    slowStart,
                    "must be attempts a second, " + RateLimit.LEAST + " to " + RateLimit.MOST);
        }
    }

    @Command(name = "delete", description = "Deletes what is set of a queue, which must have no timers.")
    int delete(
            @Parameters(paramLabel = "NAME", description = "The queue.") String queue,
            @Option(names = "--purge", description = "Cancels and purges the timers that it has.") boolean purge) {
        Output output = arguments.output();
        RemoteServer server = arguments.connect();
        RemoteServer.Answer answer =
                server.send("DELETE", ApiPath.queue(queue).with("purge", purge ? "true" : null), null);
        output.print(answer);
        if (answer.fields().get("bulkRuns") instanceof List<?> runs) {
            BulkFollow follow = arguments.follow(server);
            runs.forEach(run -> follow.follow("delete", String.valueOf(run)));
        }
        return ExitCode.OK;
    }
}
