package io.tickwheel.server.cli;

import io.tickwheel.engine.QueueDocument;
import io.tickwheel.server.SuppressForbidden;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.config.StoreConfig;
import io.tickwheel.server.files.NewFile;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.QueueLine;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.server.wire.TimerLine;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tickwheel export}: all live and dead timers as NDJSON. */
@Command(
        name = "export",
        description =
                "Writes all live and dead timers, and what is set of queues, as NDJSON. No server may have a directory open: export a backup. Servers on"
                        + " Redis may go on.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class ExportCommand implements Runnable {

    private final TargetKinds kinds;
    private final Surroundings around;
    private long looked;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private StoreArguments store;

    @Option(names = "--queue", paramLabel = "QUEUE", description = "Only this queue, in lines for timers:batch.")
    private String queue = "";

    @Option(
            names = "--to",
            paramLabel = "FILE",
            description = "A new file to write to, rather than the standard output.")
    private String file = "";

    @Option(
            names = "--with-secrets",
            description = "Writes the signing secrets of queues too: keep the file as safe as the store.")
    private boolean withSecrets;

    ExportCommand(TargetKinds kinds, Surroundings around) {
        this.around = around;
        this.kinds = kinds;
        store = new StoreArguments(kinds);
    }

    @Override
    @SuppressForbidden(reason = "an export is bytes in UTF-8, whatever the terminal speaks")
    public void run() {
        StoreConfig from = store.config();
        try {
            if (file.isEmpty()) {
                export(from, System.out);
            } else {
                Path target = ToolArguments.directory("--to", file);
                try (NewFile made = NewFile.at(target)) {
                    export(from, made.write());
                    made.finish();
                }
            }
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private static StartException cannotWrite(IOException cause) {
        return new StartException(
                "cannot write the export: " + ToolArguments.fileAndReason(cause), StartException.IO_ERROR, cause);
    }

    private void export(StoreConfig from, OutputStream to) throws IOException {
        OutputStream out = new BufferedOutputStream(to, 1 << 16);
        try (Progress progress = Progress.of("export", spec.commandLine().getErr(), around)) {
            from.export((timer, content) -> {
                export(timer, content, out);
                looked++;
                progress.timers(looked, OptionalLong.empty());
            });
        }
        out.flush();
    }

    private void export(TimerView timer, byte[] content, OutputStream out) {
        TimerKey key = timer.key();
        if (QueueDocument.isOne(key)) {
            if (queue.isEmpty() && !QueueDocument.queueOf(key).isEmpty()) {
                write(out, QueueLine.write(key, content, withSecrets, kinds).put('\n'));
            }
        } else if (QueueDocument.isOfBulkRuns(key) || QueueDocument.isOfProgram(key)) {
            // It is about the timers of this store, or who may change them: those of another one are not asked for.
            return;
        } else if (queue.isEmpty() || timer.key().queue().equals(queue)) {
            write(out, TimerLine.write(timer, content, !queue.isEmpty(), kinds).put('\n'));
        }
    }

    private static void write(OutputStream out, JsonOut line) {
        try {
            out.write(line.toBuffer().getBytes());
        } catch (IOException e) {
            // Not as an I/O error: that would be one of the store.
            throw cannotWrite(e);
        }
    }
}
