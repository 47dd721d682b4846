package io.tickwheel.server.cli;

import io.tickwheel.server.config.StartException;
import java.io.PrintWriter;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ExitCode;

/** Starts bulk runs and stays with each until it has ended. A run is the server's: it goes on when the command is cut off. */
final class BulkFollow {

    /** A run is suspended while its server closes, and goes on when there is one again. */
    private static final Set<String> GOES_ON = Set.of("RUNNING", "SUSPENDED");

    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final RemoteServer server;
    private final PrintWriter errors;
    private final Surroundings around;

    BulkFollow(RemoteServer server, PrintWriter errors, Surroundings around) {
        this.server = server;
        this.errors = errors;
        this.around = around;
    }

    /**
     * Starts a run, and prints what came of it.
     *
     * @param total how many timers it may go through, where that is known
     * @return the exit code
     */
    int run(String what, ApiPath path, OptionalLong total, Output output) {
        RemoteServer.Answer end =
                follow(what, server.post(path.repeated("look with 'bulk list' before you repeat it")), total);
        output.print(end);
        return exitCode(end);
    }

    /** Stays with a run that was started, by its id. */
    int follow(String what, String id) {
        return exitCode(follow(what, find(id), OptionalLong.empty()));
    }

    private RemoteServer.Answer follow(String what, RemoteServer.Answer started, OptionalLong total) {
        String id = started.text("id");
        RemoteServer.Answer run = started;
        try (Progress progress = Progress.of(what, errors, around)) {
            progress.say(what + ": bulk run " + id + "; it goes on when this command is cut off");
            progress.timers(run.number("matched"), total);
            while (GOES_ON.contains(run.text("state"))) {
                around.pause().accept(BETWEEN_NANOS);
                run = find(id);
                progress.timers(run.number("matched"), total);
            }
        } catch (StartException e) {
            throw new StartException("bulk run " + id + " is out of sight: " + e.getMessage(), e.exitCode(), e);
        }
        return run;
    }

    private RemoteServer.Answer find(String id) {
        return server.get(ApiPath.bulk().part(id).toString());
    }

    private int exitCode(RemoteServer.Answer run) {
        if (run.text("state").equals("DONE")) {
            return ExitCode.OK;
        }
        Object failure = run.fields().get("failure");
        throw new StartException("bulk run " + run.text("id") + " is " + run.text("state")
                + (failure == null ? ", somebody stopped it" : ": " + failure));
    }
}
