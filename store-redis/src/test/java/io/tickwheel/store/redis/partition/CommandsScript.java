package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.link.Script;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Calls {@code commands.lua} on a real server, as a store would, and as one never does. */
abstract class CommandsScript {

    static final String COMMANDS = StoppedClock.source(Script.named("commands"));
    static final String PREFIX = "script:{t}:";
    static final String OTHER = "script:{u}:";
    static final String EMPTY = "script:{v}:";
    static final String OWNER = "7";
    static final String ANYBODY = "";
    static final long PAST_MS = 1_000;
    static final long LATER_MS = 4_000_000_000_000L;
    static final long HORIZON_MS = 5_000_000;
    static final int ATTEMPTS_AT = 28;
    static final int COMPLETED = 2;
    static final int DEAD = 4;
    static final int REPLACE = 0;
    static final int KEEP = 1;
    static final int FAIL = 2;
    static final int EARLIEST = 3;
    static final int LATEST = 4;
    static final int ONCE = 5;
    static final int RESCHEDULE = 0;
    static final int REDRIVE = 1;
    static final int PURGE = 2;
    static final String HASH = "hash-of-";
    /** The optional fields of a timer of route 7. */
    static final String ROUTED = "\0\6\2\4\0\0\0\7";

    static final byte[] QUEUE_ROUTE = {0};
    static final byte[] ROUTE_7 = {4, 0, 0, 0, 7};
    static final byte[] ROUTE_8 = {4, 0, 0, 0, 8};

    static final AtomicLong calls = new AtomicLong();
    static RedisServer server;
    static String remembered = "2";

    private long operations;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void ownPartition() {
        remembered = "2";
        server.command("FLUSHALL");
        server.command("HSET", PREFIX + "m", "owner", "n", "epoch", OWNER, "hz", "" + HORIZON_MS);
    }

    static List<String> scores(String set) {
        return ((List<?>) server.command("ZRANGE", PREFIX + set, "0", "-1", "WITHSCORES"))
                .stream().map(String::valueOf).toList();
    }

    /** How far its numbers are, how many timers are live, and whether there are large contents. */
    static List<String> meta() {
        return ((List<?>) server.command("HMGET", PREFIX + "m", "seq", "live", "big"))
                .stream().map(String::valueOf).toList();
    }

    // ---- commands

    Command scheduleWith(String key, int hashes, int far, long dueAtMs, byte[] route, String content) {
        ByteBuffer rest = ByteBuffer.allocate(100)
                .put((byte) REPLACE)
                .put((byte) far)
                .putLong(dueAtMs)
                .putLong(++operations)
                .put((byte) hashes)
                .put(route)
                .put((hashes == 1 ? HASH : "").getBytes(ISO_8859_1))
                .put(content.getBytes(ISO_8859_1));
        return command('S', key, rest, dueAtMs);
    }

    record Command(String code, Set<String> slices) {}

    static Command command(char letter, String key, ByteBuffer rest, Long... dueTimes) {
        String field = "q\0" + key;
        byte[] tail = new byte[rest.flip().remaining()];
        rest.get(tail);
        Set<String> slices = new TreeSet<>();
        for (long due : dueTimes) {
            slices.add(slice(due));
        }
        return new Command(letter + "\0" + (char) field.length() + field + new String(tail, ISO_8859_1), slices);
    }

    static String slice(long dueAtMs) {
        return "n" + (dueAtMs >> 16);
    }

    Command schedule(String key, long dueAtMs) {
        return schedule(key, dueAtMs, REPLACE, QUEUE_ROUTE, 0);
    }

    Command schedule(String key, long dueAtMs, int rule, byte[] route, int contentBytes) {
        ByteBuffer rest = ByteBuffer.allocate(100 + contentBytes)
                .put((byte) rule)
                .put((byte) 0)
                .putLong(dueAtMs)
                .putLong(++operations)
                .put((byte) 0)
                .put(route)
                .put(new byte[contentBytes]);
        return command('S', key, rest, dueAtMs);
    }

    static Command reroute(String key, long token, byte[] route) {
        return command('O', key, ByteBuffer.allocate(20).putLong(token).put(route), PAST_MS);
    }

    Command cancel(String key) {
        return command('C', key, ByteBuffer.allocate(8).putLong(++operations), PAST_MS);
    }

    /** A command that is meant for the timer with that seq and no other. */
    static Command expecting(String seq, Command command) {
        boolean schedules = command.code().charAt(0) == 'S';
        if (!schedules) {
            return new Command(command.code() + seq, command.slices());
        }
        // Without a hash, and with the route of its queue.
        int hasAt = 3 + command.code().charAt(2) + 18;
        return new Command(
                command.code().substring(0, hasAt) + "\2\0" + seq
                        + command.code().substring(hasAt + 2),
                command.slices());
    }

    Command reschedule(String key, long dueAtMs) {
        return change(key, RESCHEDULE, dueAtMs, "", "", PAST_MS, dueAtMs);
    }

    Command redrive(String key, long dueAtMs) {
        return change(key, REDRIVE, dueAtMs, "", "", dueAtMs);
    }

    Command redrive(String key, long dueAtMs, byte[] route, String content) {
        return change(key, REDRIVE, dueAtMs, "", new String(route, ISO_8859_1) + content, dueAtMs);
    }

    Command purge(String key) {
        return change(key, PURGE, 0, "", "");
    }

    /**
     * A change.
     *
     * @param seq that is expected; empty for any
     * @param content with its route; empty for what there is
     */
    Command change(String key, int what, long dueAtMs, String seq, String content, Long... dueTimes) {
        ByteBuffer rest = ByteBuffer.allocate(100 + content.length())
                .putLong(++operations)
                .put((byte) what)
                .put((byte) ((content.isEmpty() ? 0 : 1) + (seq.isEmpty() ? 0 : 2)))
                .put((byte) 0)
                .putLong(dueAtMs)
                .put(seq.getBytes(ISO_8859_1))
                .put(content.getBytes(ISO_8859_1));
        return command('E', key, rest, dueTimes);
    }

    /** The seq of what stands under a key. */
    static String seq(String key) {
        return record(key).substring(13, 20);
    }

    static Command find(String key) {
        return command('F', key, ByteBuffer.allocate(0));
    }

    static Command read(String key) {
        return command('Q', key, ByteBuffer.allocate(0));
    }

    static Command claim(String key, long dueAtMs, long token) {
        return command('L', key, ByteBuffer.allocate(16).putLong(dueAtMs).putLong(token), dueAtMs);
    }

    static Command finish(String key, long token) {
        return finish(key, token, COMPLETED);
    }

    static Command finish(String key, long token, int state) {
        return command('D', key, ByteBuffer.allocate(9).putLong(token).put((byte) state));
    }

    /** A command that ends a claim, with the attempt that ends. */
    static Command withPast(Command command, String past) {
        return new Command(command.code() + "\3" + (char) past.length() + past, command.slices());
    }

    static Command retry(String key, long token) {
        return retry(key, token, PAST_MS);
    }

    static Command retry(String key, long token, long dueAtMs) {
        return command(
                'T', key, ByteBuffer.allocate(17).putLong(token).put((byte) 0).putLong(dueAtMs), dueAtMs);
    }

    static Command postpone(String key, long token, long dueAtMs) {
        return command(
                'P', key, ByteBuffer.allocate(17).putLong(token).put((byte) 0).putLong(dueAtMs), dueAtMs);
    }

    /** A plan comes again, without a run. */
    Command next(String key, long token, long dueAtMs, String content) {
        return command('N', key, nextBytes(token, "", dueAtMs, content), dueAtMs);
    }

    /**
     * A plan comes again, and makes a run.
     *
     * @param run what is added to its key
     * @param hash of 8 bytes, or empty
     */
    Command next(
            String key,
            long token,
            long dueAtMs,
            String content,
            String run,
            long runAtMs,
            byte[] route,
            String hash,
            String runContent) {
        ByteBuffer rest = nextBytes(token, "q\0" + key + "\u001f" + run, dueAtMs, content)
                .put((byte) 0)
                .putLong(runAtMs)
                .put((byte) (hash.isEmpty() ? 0 : 1))
                .put(route)
                .put(hash.getBytes(ISO_8859_1))
                .put(runContent.getBytes(ISO_8859_1));
        return command('N', key, rest, dueAtMs, runAtMs);
    }

    private ByteBuffer nextBytes(long token, String run, long dueAtMs, String content) {
        return ByteBuffer.allocate(400 + content.length())
                .putLong(++operations)
                .putLong(token)
                .putShort((short) run.length())
                .put(run.getBytes(ISO_8859_1))
                .put((byte) 0)
                .putLong(dueAtMs)
                .putInt(content.length())
                .put(content.getBytes(ISO_8859_1));
    }

    static Command release(String key, long token) {
        return command('U', key, ByteBuffer.allocate(8).putLong(token), PAST_MS);
    }

    static Command extend(String key, long token) {
        return command('X', key, ByteBuffer.allocate(8).putLong(token));
    }

    static Command reap(String key) {
        return command('R', key, ByteBuffer.allocate(0), PAST_MS);
    }

    // ---- calls

    /** Carries out commands in one call, and compares the letters of the answers. */
    static void assertAnswers(String epoch, List<Command> commands, String... letters) {
        Set<String> slices = new TreeSet<>();
        commands.forEach(each -> slices.addAll(each.slices()));
        assertThat(run(epoch, commands, slices))
                .extracting(answer -> answer.substring(0, 1))
                .containsExactly(letters);
    }

    static List<String> run(String epoch, List<Command> commands, Set<String> slices) {
        return call("1", calls.incrementAndGet(), false, epoch, commands, slices);
    }

    /** A call of a node, by its number among the calls of that node. */
    static List<String> call(
            String node, long number, boolean repeats, String epoch, List<Command> commands, Set<String> slices) {
        return answers(node, number, repeats, new Part(PREFIX, epoch, commands, slices)).stream()
                .skip(1)
                .toList();
    }

    /** The commands of a partition in a call. */
    record Part(String prefix, String epoch, List<Command> commands, Set<String> slices) {

        void addTo(List<String> keys, List<String> arguments) {
            for (char letter : "mrinfxeq".toCharArray()) {
                keys.add(prefix + letter);
            }
            slices.forEach(slice -> keys.add(prefix + "z" + slice));
            arguments.add("\0\0" + (char) slices.size() + (char) commands.size() + (char) epoch.length() + epoch);
            commands.forEach(each -> arguments.add(each.code()));
        }
    }

    static List<String> call(long number, boolean repeats, Part... parts) {
        return answers("3", number, repeats, parts);
    }

    static List<String> letters(List<String> answers) {
        return answers.stream().map(answer -> answer.substring(0, 1)).toList();
    }

    /** How many timers are live and then the answers, for each partition. */
    static List<String> answers(String node, long number, boolean repeats, Part... parts) {
        List<String> keys = new ArrayList<>(List.of(PREFIX + "a" + node));
        List<String> arguments = new ArrayList<>();
        boolean makes = Stream.of(parts)
                .flatMap(part -> part.commands().stream())
                .anyMatch(each -> each.code().matches("(?s)[SE].*|N.*\u001f.*"));
        arguments.addAll(List.of("" + Long.MAX_VALUE, "0", remembered, "60000", "none:", "" + number));
        arguments.addAll(List.of(repeats ? "1" : "0", makes ? "1" : "0"));
        for (Part part : parts) {
            part.addTo(keys, arguments);
        }
        List<String> eval = new ArrayList<>(List.of("EVAL", COMMANDS, "" + keys.size()));
        eval.addAll(keys);
        eval.addAll(arguments);
        List<?> answers = (List<?>) server.command(ISO_8859_1, eval.toArray(String[]::new));
        assertThat(answers.size() == 1).as("refused").isEqualTo(answers.get(0).equals(-1L));
        return answers.stream()
                .skip(1)
                .map(String::valueOf)
                .map(answer -> answer.charAt(0) >= 128 ? "G" + answer : answer)
                .toList();
    }

    static List<String> members(String set) {
        return ((List<?>) server.command("ZRANGE", PREFIX + set, "0", "-1"))
                .stream().map(String::valueOf).toList();
    }

    /** What is counted for queues. */
    static String counts() {
        return String.valueOf(server.command("HGETALL", PREFIX + "q"));
    }

    static String record(String key) {
        return (String) server.command(ISO_8859_1, "HGET", PREFIX + "r", "q\0" + key);
    }

    /** A record as answers have it: without its content, which a timer that has ended, or makes its last attempt, is without anyhow. */
    static String withoutContent(String key, int contentBytes) {
        String record = record(key);
        boolean hasContent = Set.of(0, 1, DEAD).contains(record.charAt(0) % 8);
        return record.substring(0, record.length() - (hasContent ? contentBytes : 0));
    }

    /** All that lies in the partition, but for what was answered. */
    static Map<String, Object> everything() {
        Map<String, Object> all = new TreeMap<>();
        for (Object key : (List<?>) server.command("KEYS", PREFIX + "[^a]*")) {
            all.put((String) key, server.command(ISO_8859_1, "DUMP", (String) key));
        }
        return all;
    }

    /** What a record begins with. */
    static String head(int flags, int version, long dueAtMs, long seq, long operation, int attempts) {
        ByteBuffer head = ByteBuffer.allocate(30)
                .put((byte) flags)
                .putInt(version)
                .putLong(dueAtMs)
                .put((byte) (seq >> 48))
                .putShort((short) (seq >> 32))
                .putInt((int) seq)
                .putLong(operation)
                .putShort((short) attempts);
        return new String(head.array(), ISO_8859_1);
    }

    static String token(long token) {
        return new String(ByteBuffer.allocate(8).putLong(token).array(), ISO_8859_1);
    }

    static Object inFlight(String key) {
        return server.command("ZSCORE", PREFIX + "f", "q\0" + key);
    }

    static int attempts(String key) {
        String record = record(key);
        return record.charAt(ATTEMPTS_AT) * 256 + record.charAt(ATTEMPTS_AT + 1);
    }
}
