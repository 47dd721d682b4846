package io.tickwheel.server.cli;

import java.util.List;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code tickwheel dead}: the dead timers of a queue of a running server. */
@Command(
        name = "dead",
        description = "Lists, redrives and purges dead timers of a running server.",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class DeadCommand {

    private static final List<String> COLUMNS = List.of("key", "diedAt", "dueAt", "attempts", "reason");
    private static final List<String> REASONS = List.of("count", "reason");

    @Mixin
    private ServerArguments arguments;

    DeadCommand(Surroundings around) {
        this.arguments = new ServerArguments(around);
    }

    @Command(name = "list", description = "Lists dead timers, and why they died.")
    int list(@Parameters(paramLabel = "QUEUE", description = "The queue.") String queue, @Mixin TimerPages pages) {
        pages.print(arguments.connect(), queue, "DEAD", COLUMNS, arguments.output());
        return ExitCode.OK;
    }

    @Command(name = "reasons", description = "Counts dead timers by the reason of their last attempt.")
    int reasons(@Parameters(paramLabel = "QUEUE", description = "The queue.") String queue, @Mixin TimerFilter filter) {
        Output output = arguments.output();
        RemoteServer.Answer answer = arguments
                .connect()
                .get(filter.addTo(ApiPath.queue(queue).suffix("/dead")).toString());
        output.print(answer, "reasons", REASONS);
        return ExitCode.OK;
    }

    @Command(name = "redrive", description = "Has a dead timer live again, due now.")
    int redrive(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "KEY", description = "The key.") String key) {
        return change(queue, key, "/redrive");
    }

    @Command(name = "purge", description = "Forgets a dead timer.")
    int purge(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "KEY", description = "The key.") String key) {
        return change(queue, key, "/purge");
    }

    @Command(
            name = "redrive-all",
            description = "Has the dead timers of a queue, or some of them, live again, and waits for the end.")
    int redriveAll(
            @Parameters(paramLabel = "QUEUE", description = "The queue.") String queue, @Mixin BulkArguments which) {
        return bulk("redrive", queue, which);
    }

    @Command(
            name = "purge-all",
            description = "Forgets the dead timers of a queue, or some of them, and waits for the end.")
    int purgeAll(
            @Parameters(paramLabel = "QUEUE", description = "The queue.") String queue, @Mixin BulkArguments which) {
        return bulk("purge", queue, which);
    }

    private int bulk(String action, String queue, BulkArguments which) {
        ApiPath path = which.addTo(ApiPath.queue(queue).suffix("/timers:" + action));
        OptionalLong total = which.isAll()
                ? OptionalLong.of(
                        arguments.connect().getBefore(ApiPath.queue(queue)).number("dead"))
                : OptionalLong.empty();
        return arguments.bulk(action + "-all", path, total);
    }

    private int change(String queue, String key, String what) {
        return arguments.call("POST", ApiPath.timer(queue, key).suffix(what), null);
    }
}
