package io.tickwheel.server.cli;

import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.LeaseFields;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code tickwheel leases}: what a consumer asks of a running server. */
@Command(
        name = "leases",
        description = "Leases timers of a running server, acknowledges them and gives them back.",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class LeasesCommand {

    private static final List<String> COLUMNS = List.of("lease", "key", "attempt", "dueAt", "expiresAt");
    private static final String TAKEN =
            "it is safe to repeat it: timers that were leased are due again once their leases have expired";

    @Mixin
    private ServerArguments arguments;

    LeasesCommand(Surroundings around) {
        this.arguments = new ServerArguments(around);
    }

    @Command(name = "take", description = "Leases due timers of a queue that has no target.")
    int take(
            @Parameters(paramLabel = "QUEUE", description = "The queue.") String queue,
            @Option(names = "--max", paramLabel = "N", description = "How many at most (default: 1).") @Nullable
                    String max,
            @Option(
                            names = "--wait",
                            paramLabel = "DURATION",
                            description = "How long to wait for the first one, up to 60s (default: not at all).")
                    @Nullable
                    String wait,
            @Option(
                            names = "--ttl",
                            paramLabel = "DURATION",
                            description = "How long the leases last, 1s to 1h (default: 30s).")
                    @Nullable
                    String ttl) {
        JsonOut body = new JsonOut(64).open('{');
        if (max != null) {
            body.field("max").number(ToolArguments.integer("--max", max, 1, LeaseRequest.MOST));
        }
        writeDuration(body, "wait", wait, Duration.ZERO, LeaseRequest.LONGEST_WAIT);
        writeTtl(body, ttl);
        Output output = arguments.output();
        RemoteServer.Answer answer = arguments
                .connect()
                .send("POST", ApiPath.queue(queue).suffix("/leases").repeated(TAKEN), text(body));
        output.print(answer, "leases", COLUMNS);
        return ExitCode.OK;
    }

    @Command(name = "ack", description = "Acknowledges a lease: its timer is completed.")
    int ack(@Parameters(paramLabel = "LEASE", description = "The id of the lease.") String lease) {
        return arguments.call("POST", ApiPath.lease(lease).suffix("/ack"), null);
    }

    @Command(name = "nack", description = "Gives a lease back as a failed attempt.")
    int nack(
            @Parameters(paramLabel = "LEASE", description = "The id of the lease.") String lease,
            @Option(
                            names = "--delay",
                            paramLabel = "DURATION",
                            description = "Until the next attempt (default: as the retry policy says).")
                    @Nullable
                    String delay,
            @Option(names = "--reason", paramLabel = "TEXT", description = "Why it failed.") @Nullable String reason) {
        JsonOut body = new JsonOut(64).open('{');
        writeDuration(body, "delay", delay, Duration.ZERO, LeaseFields.LONGEST_DELAY);
        write(body, "reason", reason);
        return arguments.call("POST", ApiPath.lease(lease).suffix("/nack"), text(body));
    }

    @Command(name = "extend", description = "Has a lease last for so long from now on.")
    int extend(
            @Parameters(paramLabel = "LEASE", description = "The id of the lease.") String lease,
            @Option(names = "--ttl", paramLabel = "DURATION", required = true, description = "For how long, 1s to 1h.")
                    String ttl) {
        JsonOut body = new JsonOut(64).open('{');
        writeTtl(body, ttl);
        return arguments.call("POST", ApiPath.lease(lease).suffix("/extend"), text(body));
    }

    @Command(name = "bury", description = "Makes the timer of a lease dead at once.")
    int bury(
            @Parameters(paramLabel = "LEASE", description = "The id of the lease.") String lease,
            @Option(names = "--reason", paramLabel = "TEXT", description = "Why no later attempt could succeed.")
                    @Nullable
                    String reason) {
        JsonOut body = new JsonOut(64).open('{');
        write(body, "reason", reason);
        return arguments.call("POST", ApiPath.lease(lease).suffix("/bury"), text(body));
    }

    private static void writeTtl(JsonOut body, @Nullable String ttl) {
        writeDuration(body, "ttl", ttl, LeaseRequest.SHORTEST_TTL, LeaseRequest.LONGEST_TTL);
    }

    /** The option has the name of the field. */
    private static void writeDuration(
            JsonOut body, String field, @Nullable String value, Duration shortest, Duration longest) {
        if (value != null) {
            WhenText.checkDuration("--" + field, value, shortest, longest);
            body.field(field).string(value);
        }
    }

    private static void write(JsonOut body, String field, @Nullable String value) {
        if (value != null) {
            body.field(field).string(value);
        }
    }

    private static String text(JsonOut body) {
        return body.close('}').toBuffer().toString(StandardCharsets.UTF_8);
    }
}
