package io.tickwheel.examples;

import io.tickwheel.store.TimerView;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The language in which somebody at a console speaks with a {@link CronService}. */
final class CronCommands {

    static final String USAGE =
            "activate NAME SECOND MINUTE HOUR DAY MONTH WEEKDAY TASK | pause NAME | resume NAME | remove NAME | list";

    private static final Pattern ACTIVATE = Pattern.compile("activate (\\S+) (\\S+(?: \\S+){5}) (.+)");
    private static final Pattern ONE_NAME = Pattern.compile("(pause|resume|remove) (\\S+)");

    /** Stands between the name and the number in the key of a run. */
    private static final char RUN = '\u001f';

    private final CronService service;

    CronCommands(CronService service) {
        this.service = service;
    }

    /** Carries out a line; the answer is for the one who has written it, also when it is no command. */
    CompletableFuture<String> run(String line) {
        String command = line.strip();
        Matcher activate = ACTIVATE.matcher(command);
        Matcher named = ONE_NAME.matcher(command);
        if (command.equals("list")) {
            return service.list().thenApply(CronCommands::shown);
        }
        if (activate.matches()) {
            return activate(activate.group(1), activate.group(2), activate.group(3));
        }
        if (named.matches()) {
            return change(named.group(1), named.group(2));
        }
        return CompletableFuture.completedFuture("'" + command + "' is no command; there are: " + USAGE);
    }

    private CompletableFuture<String> activate(String name, String cron, String task) {
        try {
            return service.activate(name, cron, task).thenApply(answer -> name + " is active");
        } catch (IllegalArgumentException e) {
            return CompletableFuture.completedFuture(String.valueOf(e.getMessage()));
        }
    }

    private CompletableFuture<String> change(String command, String name) {
        return switch (command) {
            case "pause" -> service.pause(name).thenApply(known -> known ? name + " is paused" : unknown(name));
            case "resume" -> service.resume(name).thenApply(known -> known ? name + " is active" : unknown(name));
            default -> service.remove(name).thenApply(known -> known ? name + " is removed" : unknown(name));
        };
    }

    private static String unknown(String name) {
        return "there is no " + name;
    }

    private static String shown(List<CronService.Definition> definitions) {
        return definitions.isEmpty()
                ? "there are no definitions"
                : definitions.stream().map(CronCommands::shown).collect(Collectors.joining("\n"));
    }

    private static String shown(CronService.Definition definition) {
        String when = definition.next().map(next -> "next at " + next).orElse("paused");
        String runs = definition.runs().stream().map(CronCommands::shown).collect(Collectors.joining(", "));
        return definition.name() + " [" + definition.schedule() + "] " + definition.task() + ": " + when
                + (runs.isEmpty() ? ", no runs" : ", runs " + runs);
    }

    /** A run by its number, which stands at the end of its key. */
    private static String shown(TimerView run) {
        String key = run.key().key();
        return key.substring(key.lastIndexOf(RUN) + 1) + " "
                + run.state().name().toLowerCase(Locale.ROOT);
    }
}
