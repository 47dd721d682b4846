package io.tickwheel.server.cli;

import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TimeText;
import io.tickwheel.store.file.StoreDirectory;
import io.tickwheel.store.file.StoreInspection;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tickwheel inspect}: what is in a data directory. */
@Command(
        name = "inspect",
        description = "Shows what is in a data directory. Changes nothing; a server may have it open.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class InspectCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "DIR", description = "The data directory.")
    private String data = "";

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    @Override
    public void run() {
        StoreInspection found =
                StoreDirectory.at(ToolArguments.directory("DIR", data)).inspect();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(json(found).toBuffer());
        } else {
            print(found, out);
        }
        out.flush();
    }

    private static void print(StoreInspection found, PrintWriter out) {
        out.println("format      " + found.format());
        out.println("store       " + found.storeId());
        out.println("epoch       " + found.epoch());
        out.println("generation  " + found.generation());
        out.println("checkpoint  LSN " + found.checkpointLsn());
        out.println("synced      LSN " + found.syncedLsn() + " or more");
        print("segments", found.segments(), out);
        print("spares", found.spares(), out);
        out.println("progress    " + text(found.progress()));
        out.println("keys        " + text(found.keys()));
        out.println("finished    " + found.finished() + " remembered");
        out.println("runs        " + found.runs().size());
        for (StoreInspection.Run run : found.runs()) {
            out.println("  " + run.file() + "  " + run.tier() + "  " + run.present() + " of " + run.timers()
                    + " timers, " + run.bytes() + " bytes, due "
                    + TimeText.format(run.firstDue().toEpochMilli()) + " to "
                    + TimeText.format(run.lastDue().toEpochMilli()));
        }
        out.println("queues      as of the last checkpoint: " + found.queues().size());
        for (StoreInspection.Queue queue : found.queues()) {
            out.println("  " + queue.name() + "  " + queue.pending() + " pending, " + queue.dead() + " dead");
        }
    }

    private static void print(String name, List<StoreInspection.File> files, PrintWriter out) {
        long bytes = files.stream().mapToLong(StoreInspection.File::bytes).sum();
        out.println((name + "            ").substring(0, 12) + files.size() + ", " + bytes + " bytes");
        files.forEach(file -> out.println("  " + text(file)));
    }

    private static String text(StoreInspection.@Nullable File file) {
        return file == null ? "none" : file.name() + "  " + file.bytes() + " bytes";
    }

    private static JsonOut json(StoreInspection found) {
        JsonOut out = new JsonOut(1_024).open('{');
        out.field("format").number(found.format());
        out.field("storeId").string(found.storeId());
        out.field("epoch").number(found.epoch());
        out.field("generation").number(found.generation());
        out.field("checkpointLsn").number(found.checkpointLsn());
        out.field("syncedLsn").number(found.syncedLsn());
        out.field("nextSeq").number(found.nextSeq());
        files(out, "segments", found.segments());
        files(out, "spares", found.spares());
        StoreInspection.File progress = found.progress();
        files(out, "progress", progress == null ? List.of() : List.of(progress));
        StoreInspection.File keys = found.keys();
        files(out, "keys", keys == null ? List.of() : List.of(keys));
        out.field("finished").number(found.finished());
        out.field("runs").open('[');
        for (StoreInspection.Run run : found.runs()) {
            out.element().open('{');
            out.field("number").number(run.number());
            out.field("file").string(run.file());
            out.field("tier").string(run.tier());
            out.field("timers").number(run.timers());
            out.field("present").number(run.present());
            out.field("bytes").number(run.bytes());
            out.field("firstDue").string(TimeText.format(run.firstDue().toEpochMilli()));
            out.field("lastDue").string(TimeText.format(run.lastDue().toEpochMilli()));
            out.close('}');
        }
        out.close(']').field("queues").open('[');
        for (StoreInspection.Queue queue : found.queues()) {
            out.element().open('{');
            out.field("name").string(queue.name());
            out.field("pending").number(queue.pending());
            out.field("dead").number(queue.dead());
            out.close('}');
        }
        return out.close(']').close('}');
    }

    private static void files(JsonOut out, String name, List<StoreInspection.File> files) {
        out.field(name).open('[');
        for (StoreInspection.File file : files) {
            out.element().open('{');
            out.field("file").string(file.name());
            out.field("bytes").number(file.bytes());
            out.close('}');
        }
        out.close(']');
    }
}
