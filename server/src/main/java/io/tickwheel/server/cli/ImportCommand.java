package io.tickwheel.server.cli;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QueueView;
import io.tickwheel.engine.SigningSecrets;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.FieldValues;
import io.tickwheel.server.wire.ProblemException;
import io.tickwheel.server.wire.QueueFields;
import io.tickwheel.server.wire.QueueLine;
import io.tickwheel.server.wire.ScheduleBody;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.server.wire.TimerLine;
import io.tickwheel.store.OnConflict;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tickwheel import}: schedules the timers of an export. */
@Command(
        name = "import",
        description =
                "Schedules the timers of an export: in a directory that no server has open, without delivering anything, or"
                        + " on a running server.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class ImportCommand implements Callable<Integer>, ServerImport.Results {

    /** So long ago that nothing is due: an import schedules and delivers nothing. */
    private static final Instant LONG_AGO = Instant.parse("-9999-01-01T00:00:00Z");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "DIR",
            arity = "0..1",
            description = "The data directory, which is made when it does not exist.")
    private String data = "";

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "A running server instead of a directory, with any store: http://host:port.")
    private String server = "";

    @Option(names = "--from", paramLabel = "FILE", description = "A file to read, rather than the standard input.")
    private String file = "";

    @Option(names = "--queue", paramLabel = "QUEUE", description = "The queue of lines as timers:batch takes them.")
    private @Nullable String queue;

    @Option(
            names = "--on-conflict",
            paramLabel = "RULE",
            description = "replace, keep, once, fail, earliest or latest, for a key that has a timer; once for one that"
                    + " has had a timer that is remembered, too (default: what the line says, or fail).")
    private @Nullable String onConflict;

    @Option(names = "--dead", description = "Schedules dead timers too, due now, rather than passing over them.")
    private boolean dead;

    @Mixin
    private LoginArguments logins;

    private final TargetKinds kinds;
    private final Surroundings around;
    private @Nullable Progress progress;
    private final StoreAnswers answers = new StoreAnswers(this);
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
    private long scheduled;
    private long kept;
    private long refused;
    private long passedOver;
    private long settings;

    ImportCommand(TargetKinds kinds, Surroundings around) {
        this.around = around;
        this.logins = new LoginArguments(around);
        this.kinds = kinds;
    }

    @Override
    public Integer call() {
        OnConflict rule = onConflict == null ? null : rule(onConflict);
        if (data.isEmpty() == server.isEmpty()) {
            throw new StartException(
                    "must have one of DIR and --server", ExitCode.USAGE, new IllegalArgumentException("not one store"));
        }
        // Wrong arguments are told before anything is read.
        Path directory = server.isEmpty() ? ToolArguments.directory("DIR", data) : null;
        if (directory == null) {
            RemoteServer.checkAddress("--server", server);
        }
        try (ImportSource source = new ImportSource(file);
                Progress shown = Progress.of("import", spec.commandLine().getErr(), around)) {
            progress = shown;
            if (directory != null) {
                schedule(source, directory, rule);
            } else {
                send(source, rule);
            }
        } catch (CompletionException e) {
            throw StoreAnswers.cutOff(e);
        } catch (IOException e) {
            throw new StartException("cannot import: " + ToolArguments.fileAndReason(e), StartException.IO_ERROR, e);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("scheduled " + scheduled + ", kept " + kept + " that were there, passed over " + passedOver
                + " dead, refused " + refused + (settings == 0 ? "" : ", set " + settings + " queues"));
        out.flush();
        return refused == 0 ? ExitCode.OK : StartException.DATA_ERROR;
    }

    /**
     * Settings of queues come last: nothing is delivered before, and no quota of theirs refuses what was within none. From the first timer on that names a level of
     * its queue, all wait until every line was read: by then it is known which levels it is to have, and of two lines for a key the later one is still the later one.
     */
    private void schedule(ImportSource source, Path directory, @Nullable OnConflict rule) throws IOException {
        try (KeptLines queues = new KeptLines();
                KeptLines waiting = new KeptLines();
                ImportedStore store = new ImportedStore(directory, new Standing())) {
            read(
                    source,
                    (number, line) -> {
                        if (!waiting.isEmpty() || line.body().hasOpenLevel()) {
                            waiting.add(number, line.queue(), null, line.timer());
                        } else {
                            schedule(store, number, line, rule);
                        }
                    },
                    (number, line) -> queues.add(number, line.queue(), null, line.settings()));
            Map<String, QueueSettings> toBe = new HashMap<>();
            queues.forEach(
                    (number, name, none, settings) -> lookAhead(store, new QueueLine(name, settings), rule, toBe));
            waiting.forEach((number, name, none, timer) -> checked(number, () -> {
                TimerLine line = TimerLine.read(timer, name, kinds);
                if (line.body().hasOpenLevel()) {
                    QueueSettings ofQueue = toBe.computeIfAbsent(name, asNow -> standing(store.make(), asNow));
                    line.body().takeLevels(ofQueue.delayLevels());
                }
                schedule(store, number, line, rule);
            }));
            last.join();
            answers.check();
            queues.forEach((number, name, none, settings) ->
                    checked(number, () -> set(store, number, new QueueLine(name, settings), rule)));
            if (refused == 0) {
                // Of nothing, too: an export of an empty store is imported as one.
                store.make();
            }
        }
    }

    private void schedule(ImportedStore store, int number, TimerLine line, @Nullable OnConflict rule) {
        TimerRequest request = request(line, rule);
        last = store.make().schedule(request).handle((answer, failure) -> answers.note(number, answer, failure));
    }

    /** Settings of queues come first, wherever they stand: a server delivers at once what is due and not paused. */
    private void send(ImportSource source, @Nullable OnConflict rule) throws IOException {
        try (ServerImport batches = new ServerImport(server, logins.login(), rule, around, this)) {
            if (queue == null) {
                source.keep();
                read(source, null, batches::addQueue);
            }
            read(source, batches::add, null);
            batches.finish();
        }
    }

    /** Takes a line that can be read. */
    private interface Lines {

        void take(int number, TimerLine line) throws IOException;
    }

    /** Takes a line with the settings of a queue. */
    private interface QueueLines {

        void take(int number, QueueLine line) throws IOException;
    }

    /** Notes what is set of a queue once its line is through. */
    private void lookAhead(
            ImportedStore store, QueueLine line, @Nullable OnConflict rule, Map<String, QueueSettings> toBe) {
        try {
            QueueSettings set = QueueFields.read(line.settings(), true, kinds).set();
            boolean stays = toBe.containsKey(line.queue()) || isSet(store.makeFor(line.queue()), line.queue());
            if (!stays || rule == OnConflict.REPLACE) {
                toBe.put(line.queue(), set);
            }
        } catch (ProblemException | IllegalArgumentException refusedLater) {
            // It is not set then, and what is set now stays.
        }
    }

    /** As the store has them: what an engine knows by itself soon after its start may be nothing. */
    private static QueueSettings standing(Tickwheel timers, String queue) {
        return timers.queue(queue).join().map(QueueView::effective).orElse(QueueSettings.NONE);
    }

    private static boolean isSet(Tickwheel timers, String queue) {
        return timers.queue(queue).join().map(view -> view.id() != null).orElse(false);
    }

    /** What is set of a queue stays, unless the rule says otherwise. */
    private void set(ImportedStore store, int number, QueueLine line, @Nullable OnConflict rule) {
        QueueChange change = QueueFields.read(line.settings(), true, kinds);
        Tickwheel timers = store.makeFor(line.queue());
        boolean isSet = isSet(timers, line.queue());
        if (isSet && (rule == OnConflict.KEEP || rule == OnConflict.ONCE)) {
            kept();
        } else if (isSet && rule != OnConflict.REPLACE) {
            refused(number, "something is set of queue " + line.queue());
        } else {
            timers.changeQueue(line.queue(), begun(change)).join();
            set();
        }
    }

    /** The clock of the engine stands, and secrets and a slow start are those from now on. */
    private static QueueChange begun(QueueChange change) {
        Instant now = Instant.ofEpochMilli(Clock.system().now().toEpochMilli());
        QueueSettings set = change.set();
        SigningSecrets secrets = set.secrets();
        if (secrets != null) {
            set = set.withSecrets(secrets.since(now));
        }
        SlowStart slow = set.slowStart();
        if (slow != null && slow.since() == null && !Boolean.TRUE.equals(set.paused())) {
            set = set.withSlowStart(new SlowStart(slow.perSecond(), now));
        }
        return new QueueChange(change.replaces(), change.cleared(), set);
    }

    /** A step that may find that a line is wrong. */
    private interface Step {

        void run() throws IOException;
    }

    private void checked(int number, Step step) throws IOException {
        try {
            step.run();
        } catch (ProblemException e) {
            refused(number, e.problem().detail());
        } catch (IllegalArgumentException e) {
            refused(number, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Reads all lines.
     *
     * @param timers takes those of timers; null to pass over all that are no settings of a queue
     * @param queues takes settings of queues; null to pass over them
     */
    private void read(ImportSource source, @Nullable Lines timers, @Nullable QueueLines queues) throws IOException {
        long done = 0;
        OptionalLong total = source.size();
        try (LineReader lines = new LineReader(source.open())) {
            int number = 0;
            for (String line = next(source, lines, number); line != null; line = next(source, lines, number)) {
                byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
                done += bytes.length + 1;
                progress().bytes(done, total);
                answers.check();
                int here = ++number;
                if (lines.tooLong()) {
                    refuseTooLong(here, timers);
                } else if (!line.isBlank()) {
                    checked(here, () -> take(here, bytes, timers, queues));
                }
            }
        }
    }

    /** Where lines are read twice, it is refused with those of timers. */
    private void refuseTooLong(int number, @Nullable Lines timers) {
        if (timers != null) {
            refused(number, "has more characters than a timer can, must have at most " + LineReader.MAX_CHARS);
        }
    }

    /** Lines are read ahead, so that the place is not known any better. */
    private static @Nullable String next(ImportSource source, LineReader lines, int number) throws IOException {
        try {
            return lines.next();
        } catch (CharacterCodingException e) {
            String place = ", somewhere behind line " + number + "; what was scheduled before stands";
            throw source.refusal("it is not UTF-8" + (number == 0 ? "" : place), e);
        }
    }

    private void take(int number, byte[] line, @Nullable Lines timers, @Nullable QueueLines queues) throws IOException {
        if (queue == null && QueueLine.isOne(line)) {
            if (queues != null) {
                queues.take(number, QueueLine.read(line));
            }
        } else if (timers != null) {
            TimerLine read = TimerLine.read(line, queue, kinds);
            if (!read.isDead()) {
                timers.take(number, read);
            } else if (dead) {
                timers.take(number, read.dueAt(Clock.system().now(), kinds));
            } else {
                count(() -> passedOver++);
            }
        }
    }

    private static TimerRequest request(TimerLine line, @Nullable OnConflict rule) {
        ScheduleBody body = line.body();
        body.countFrom(Clock.system().now());
        if (rule != null) {
            body.setOnConflict(rule);
        } else if (body.onConflict() == null) {
            body.setOnConflict(OnConflict.FAIL);
        }
        return body.toRequest(line.queue(), Objects.requireNonNull(body.key()));
    }

    private synchronized void count(Runnable counter) {
        counter.run();
    }

    @Override
    public void scheduled() {
        count(() -> scheduled++);
    }

    @Override
    public void set() {
        count(() -> settings++);
    }

    @Override
    public void kept() {
        count(() -> kept++);
    }

    @Override
    public synchronized void refused(int line, String reason) {
        refused++;
        progress().say("line " + line + ": " + reason);
    }

    @Override
    public synchronized void waits(Duration time, String reason) {
        progress().say(reason + "; the import waits for " + time.toSeconds() + " s and goes on");
    }

    /** There is one as long as lines are read and answered. */
    private Progress progress() {
        return Objects.requireNonNull(progress);
    }

    private static OnConflict rule(String text) {
        try {
            return FieldValues.onConflict(text);
        } catch (IllegalArgumentException e) {
            throw new StartException(
                    "--on-conflict is " + Excerpt.quoted(text) + ", " + e.getMessage(), ExitCode.USAGE, e);
        }
    }

    /** A wall clock that stands. */
    private static final class Standing implements Clock {

        @Override
        public Instant now() {
            return LONG_AGO;
        }

        @Override
        public long monoNanos() {
            return Clock.system().monoNanos();
        }
    }
}
