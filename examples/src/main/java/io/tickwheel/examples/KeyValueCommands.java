package io.tickwheel.examples;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a {@link KeyValueStore} does for each command of Redis that it knows, with the answers that Redis gives. Thread-safe. */
final class KeyValueCommands {

    /** No value lives longer: a century. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private static final int SHOWN_BYTES = 128;
    private static final int NOT_THERE = -2;
    private static final int NEVER = -1;
    private static final int HALF_A_SECOND_MS = 500;

    private final KeyValueStore store;

    private final Map<String, Command> commands = Map.of(
            "PING", new Command(1, 2, this::ping),
            "SET", new Command(3, Integer.MAX_VALUE, this::set),
            "GET", new Command(2, 2, this::get),
            "TTL", new Command(2, 2, (words, reply) -> reply.number(seconds(remainingMs(words)))),
            "PTTL", new Command(2, 2, (words, reply) -> reply.number(remainingMs(words))),
            "EXPIRE", new Command(3, 3, this::expire),
            "PERSIST", new Command(2, 2, this::persist),
            "DEL", new Command(2, Integer.MAX_VALUE, this::delete),
            // What redis-cli asks for help on commands: there is none.
            "COMMAND", new Command(1, Integer.MAX_VALUE, (words, reply) -> reply.emptyArray()));

    KeyValueCommands(KeyValueStore store) {
        this.store = store;
    }

    /** How many words a command has, its name included, and what it does. */
    private record Command(int least, int most, Action action) {}

    private interface Action {
        /** @throws Refused with what is wrong */
        void run(List<byte[]> words, RespReply reply) throws Refused;
    }

    /** A command that breaks a rule. */
    private static final class Refused extends Exception {

        private static final long serialVersionUID = 1;

        Refused(String answer) {
            super(answer, null, false, false);
        }

        String answer() {
            return String.valueOf(getMessage());
        }
    }

    /** @param words the name of the command and its arguments, at least one */
    void run(List<byte[]> words, RespReply reply) {
        String name = text(words.get(0));
        Command command = commands.get(name.toUpperCase(Locale.ROOT));
        try {
            if (command == null) {
                throw new Refused(
                        "ERR unknown command '" + shown(name) + "', with args beginning with: " + arguments(words));
            }
            if (words.size() < command.least() || words.size() > command.most()) {
                throw new Refused("ERR wrong number of arguments for '" + name.toLowerCase(Locale.ROOT) + "' command");
            }
            command.action().run(words, reply);
        } catch (Refused e) {
            reply.error(e.answer());
        }
    }

    private void ping(List<byte[]> words, RespReply reply) {
        if (words.size() == 1) {
            reply.simple("PONG");
        } else {
            reply.bulk(words.get(1));
        }
    }

    private void get(List<byte[]> words, RespReply reply) {
        store.find(key(words)).ifPresentOrElse(entry -> reply.bulk(entry.value()), reply::noBulk);
    }

    private void set(List<byte[]> words, RespReply reply) throws Refused {
        byte[] value = words.get(2);
        if (words.size() == 3) {
            store.put(key(words), value);
        } else {
            store.put(key(words), value, lifetime(words));
        }
        reply.simple("OK");
    }

    private static Duration lifetime(List<byte[]> words) throws Refused {
        String unit = text(words.get(3)).toUpperCase(Locale.ROOT);
        if (words.size() != 5 || !(unit.equals("EX") || unit.equals("PX"))) {
            throw new Refused("ERR syntax error");
        }
        long number = number(words.get(4));
        if (number < 1) {
            throw invalidTime("set");
        }
        return duration(unit.equals("EX"), number, "set");
    }

    private void expire(List<byte[]> words, RespReply reply) throws Refused {
        long seconds = number(words.get(2));
        boolean was =
                seconds > 0 ? store.expire(key(words), duration(true, seconds, "expire")) : store.remove(key(words));
        reply.number(was ? 1 : 0);
    }

    private static Duration duration(boolean inSeconds, long number, String command) throws Refused {
        if (number > (inSeconds ? LONGEST.toSeconds() : LONGEST.toMillis())) {
            throw invalidTime(command);
        }
        return inSeconds ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }

    private static Refused invalidTime(String command) {
        return new Refused("ERR invalid expire time in '" + command + "' command");
    }

    private void persist(List<byte[]> words, RespReply reply) {
        reply.number(store.persist(key(words)) ? 1 : 0);
    }

    private void delete(List<byte[]> words, RespReply reply) {
        reply.number(
                words.stream().skip(1).filter(key -> store.remove(text(key))).count());
    }

    private long remainingMs(List<byte[]> words) {
        Optional<KeyValueStore.Entry> entry = store.find(key(words));
        if (entry.isEmpty()) {
            return NOT_THERE;
        }
        Optional<Duration> remaining = entry.get().remaining();
        return remaining.isPresent() ? Math.max(0, remaining.get().toMillis()) : NEVER;
    }

    /** Rounded as Redis does. */
    private static long seconds(long ms) {
        return ms < 0 ? ms : (ms + HALF_A_SECOND_MS) / 1_000;
    }

    private static long number(byte[] word) throws Refused {
        try {
            return Long.parseLong(text(word));
        } catch (NumberFormatException e) {
            throw new Refused("ERR value is not an integer or out of range");
        }
    }

    private static String key(List<byte[]> words) {
        return text(words.get(1));
    }

    /** A character for each byte: keys are bytes, whatever they mean. */
    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String arguments(List<byte[]> words) {
        return shown(words.stream()
                .skip(1)
                .map(word -> "'" + shown(text(word)) + "' ")
                .collect(Collectors.joining()));
    }

    private static String shown(String text) {
        return text.substring(0, Math.min(text.length(), SHOWN_BYTES));
    }
}
