package io.tickwheel.server.cli;

import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TargetKinds;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code tickwheel timers}: the timers of a queue of a running server. */
@Command(
        name = "timers",
        description = "Lists, schedules, changes and cancels timers of a running server.",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class TimersCommand {

    private static final List<String> COLUMNS = List.of("key", "state", "dueAt", "attemptAt", "attempts");
    private static final List<String> LISTED = List.of("PENDING", "CLAIMED", "DEAD");
    private static final List<String> CANCELLED = List.of("PENDING", "CLAIMED");

    @Mixin
    private ServerArguments arguments;

    private final TargetKinds kinds;

    TimersCommand(Surroundings around, TargetKinds kinds) {
        this.kinds = kinds;
        this.arguments = new ServerArguments(around);
    }

    @Command(name = "list", description = "Lists timers, those that are due first before the others.")
    int list(
            @Parameters(paramLabel = "QUEUE", description = "The queue.") String queue,
            @Option(names = "--state", paramLabel = "STATE", description = "PENDING, CLAIMED or DEAD.") @Nullable
                    String state,
            @Mixin TimerPages pages) {
        ToolArguments.checkWord("--state", state, "PENDING, CLAIMED or DEAD", LISTED);
        pages.print(arguments.connect(), queue, state, COLUMNS, arguments.output());
        return ExitCode.OK;
    }

    @Command(name = "show", description = "Shows a timer and its last attempts.")
    int show(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "KEY", description = "The key.") String key,
            @Option(names = "--content", description = "With payload, headers, target and retry.") boolean content) {
        return arguments.show(ApiPath.timer(queue, key).with("content", content ? "true" : null));
    }

    @Command(name = "put", description = "Schedules a timer, or replaces the one that has the key.")
    int put(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "KEY", description = "The key.") String key,
            @Option(names = "--in", paramLabel = "DURATION", description = "After how long it is due: 30m, 1500ms.")
                    @Nullable
                    String in,
            @Option(names = "--at", paramLabel = "TIME", description = "When it is due: RFC 3339, or milliseconds.")
                    @Nullable
                    String at,
            @Option(
                            names = "--payload",
                            paramLabel = "JSON|@FILE",
                            description = "What is delivered, or the file that has it.")
                    @Nullable
                    String payload,
            @Option(
                            names = "--target",
                            paramLabel = "TARGET",
                            description =
                                    "Where to: a URL, or a method and a URL, or log (default: as the queue says).")
                    @Nullable
                    String target) {
        JsonOut body = new JsonOut(256).open('{');
        WhenText.write(body, in, at);
        if (payload != null) {
            body.field("payload").utf8(PayloadArgument.read(payload));
        }
        if (target != null) {
            body.field("target").value(ToolArguments.target("--target", target, kinds));
        }
        return arguments.call("PUT", ApiPath.timer(queue, key), text(body));
    }

    @Command(name = "cancel", description = "Cancels a timer: no further attempt starts.")
    int cancel(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "KEY", description = "The key.") String key) {
        return arguments.call("DELETE", ApiPath.timer(queue, key), null);
    }

    @Command(name = "run", description = "Has a pending timer become due now.")
    int run(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "KEY", description = "The key.") String key) {
        return arguments.call("POST", ApiPath.timer(queue, key).suffix("/run"), null);
    }

    @Command(name = "reschedule", description = "Gives a pending timer another due time.")
    int reschedule(
            @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.") String queue,
            @Parameters(index = "1", paramLabel = "KEY", description = "The key.") String key,
            @Option(names = "--in", paramLabel = "DURATION", description = "After how long it is due: 30m, 1500ms.")
                    @Nullable
                    String in,
            @Option(names = "--at", paramLabel = "TIME", description = "When it is due: RFC 3339, or milliseconds.")
                    @Nullable
                    String at) {
        JsonOut body = new JsonOut(64).open('{');
        WhenText.write(body, in, at);
        return arguments.call("POST", ApiPath.timer(queue, key).suffix("/reschedule"), text(body));
    }

    @Command(
            name = "cancel-all",
            description = "Cancels the timers of a queue, or some of them, and waits for the end.")
    int cancelAll(
            @Parameters(paramLabel = "QUEUE", description = "The queue.") String queue,
            @Option(names = "--state", paramLabel = "STATE", description = "PENDING or CLAIMED (default: both).")
                    @Nullable
                    String state,
            @Mixin BulkArguments which) {
        ToolArguments.checkWord("--state", state, "PENDING or CLAIMED", CANCELLED);
        ApiPath path = which.addTo(ApiPath.queue(queue).suffix("/timers:cancel").with("state", state));
        OptionalLong total = OptionalLong.empty();
        if (which.isAll() && state == null) {
            RemoteServer.Answer counts = arguments.connect().getBefore(ApiPath.queue(queue));
            total = OptionalLong.of(counts.number("pending") + counts.number("claimed"));
        }
        return arguments.bulk("cancel-all", path, total);
    }

    private static String text(JsonOut body) {
        return body.close('}').toBuffer().toString(StandardCharsets.UTF_8);
    }
}
