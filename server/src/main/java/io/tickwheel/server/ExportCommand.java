package io.tickwheel.server;

import io.tickwheel.store.file.StoreDirectory;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tickwheel export}: all live and dead timers as NDJSON. */
@Command(
        name = "export",
        description =
                "Writes all live and dead timers as NDJSON. No server may have the directory open: export a backup.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class ExportCommand implements Runnable {

    @Parameters(paramLabel = "DIR", description = "The data directory, or a backup.")
    private String data = "";

    @Option(names = "--queue", paramLabel = "QUEUE", description = "Only this queue, in lines for timers:batch.")
    private String queue = "";

    @Option(
            names = "--to",
            paramLabel = "FILE",
            description = "A new file to write to, rather than the standard output.")
    private String file = "";

    @Override
    @SuppressForbidden(reason = "an export is bytes in UTF-8, whatever the terminal speaks")
    public void run() {
        Path directory = ToolArguments.directory("DIR", data);
        try {
            if (file.isEmpty()) {
                export(directory, System.out);
            } else {
                Path target = ToolArguments.directory("--to", file);
                try (OutputStream out =
                        Files.newOutputStream(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                    export(directory, out);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new StartException("cannot write the export: " + e, StartException.IO_ERROR, e);
        }
    }

    private void export(Path directory, OutputStream to) throws IOException {
        OutputStream out = new BufferedOutputStream(to, 1 << 16);
        StoreDirectory.at(directory).export(timer -> {
            if (queue.isEmpty() || timer.view().key().queue().equals(queue)) {
                write(out, TimerLine.write(timer, !queue.isEmpty()).put('\n'));
            }
        });
        out.flush();
    }

    private static void write(OutputStream out, JsonOut line) {
        try {
            out.write(line.toBuffer().getBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
