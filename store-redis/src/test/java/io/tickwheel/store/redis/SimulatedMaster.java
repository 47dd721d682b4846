package io.tickwheel.store.redis;

import io.tickwheel.store.redis.SimulatedRedis.Refused;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A master of a simulation, with a clock of its own, and what its replica would have: a journal of all calls that changed something, of
 * which a failover loses the last ones, by carrying out the others again on an empty database.
 */
final class SimulatedMaster {

    /** A place of the journal that no replica comes to. */
    static final int NEVER = Integer.MAX_VALUE;

    static final long START_MS = 1_700_000_000_000L;

    /** Scripts that change no record and no owner. */
    private static final Set<String> TAME =
            Set.of("tend", "beat", "config", "read", "scan", "places", "slices", "count", "limit", "rights");

    private static final Set<String> READING = Set.of("read", "scan", "places", "slices", "count", "rights");

    final int index;
    final List<Integer> partitions = new ArrayList<>();

    /** The server's clock is so far ahead of the one of the start. */
    long offsetMicros;

    /** It has no memory left. */
    boolean isFull;

    /** It carries out nothing, and takes no connections, before that time. */
    long downNanos;

    /** The replica gets nothing before that time. */
    long replicaDownNanos;

    /** How much of the journal the replica has. */
    int replicated;

    /** Who still talks to the one whose place was taken: nothing that it does counts. */
    final Set<SimulatedLink> astray = new LinkedHashSet<>();

    /** Until when. */
    long astrayNanos;

    private long formerOffsetMicros;

    /** Rises with each failover. */
    int generation;

    private final SimulatedRedis redis;
    private final Layout layout;
    private final RedisBug bug;
    private final Supplier<Object> slots;
    private final List<Written> journal = new ArrayList<>();
    private int database;
    private int spare;

    /** @param isFull whether it found a server without memory, so that it did not all that it was to do */
    private record Written(int seq, long monoNanos, long micros, List<byte[]> words, boolean isFull) {}

    /** What a call found, and what it left. */
    record Look(
            SimulatedCall call,
            long nowMs,
            Map<String, Double> heldUntil,
            Map<Integer, Owner> ownersBefore,
            Map<Integer, Owner> owners,
            Map<Integer, Map<String, byte[]>> records) {}

    /** Of a partition; empty for nobody. */
    record Owner(String node, long leaseMs) {}

    /**
     * @param slots what it says of where the slots are
     */
    SimulatedMaster(int index, SimulatedRedis redis, Layout layout, RedisBug bug, Supplier<Object> slots) {
        this.slots = slots;
        this.index = index;
        this.redis = redis;
        this.layout = layout;
        this.bug = bug;
        this.database = 2 * index;
        this.spare = 2 * index + 1;
    }

    long micros(long monoNanos) {
        return START_MS * 1_000 + monoNanos / 1_000 + offsetMicros;
    }

    private long micros(SimulatedCall call, long monoNanos) {
        return micros(monoNanos) + (call.isAstray ? formerOffsetMicros - offsetMicros : 0);
    }

    int journalSize() {
        return journal.size();
    }

    // ---- calls

    private static boolean isWatched(Call call) {
        return call.script != null && !TAME.contains(call.script.name());
    }

    /** Queues all that carries out a call, and looks at what it does. */
    void queue(SimulatedCall call, long monoNanos) {
        call.isAstray = astray.contains(call.link);
        if (call.call.command.equals("TIME") || call.call.command.equals("CLUSTER")) {
            return;
        }
        redis.select(call.isAstray ? spare : database);
        if (call.call.script == null) {
            redis.queue(words(call.call));
            return;
        }
        queueTime(micros(call, monoNanos));
        if (isWatched(call.call)) {
            queueFlightAndOwners();
        }
        queue(words(call.call), isFull);
        redis.queue("LPOP", "sim:published", "100");
        if (isWatched(call.call)) {
            queueRecordsAndOwners();
        }
    }

    private void queue(List<byte[]> words, boolean withoutMemory) {
        if (withoutMemory) {
            redis.queueQuietly("CONFIG", "SET", "maxmemory", "1");
        }
        redis.queue(words);
        if (withoutMemory) {
            redis.queueQuietly("CONFIG", "SET", "maxmemory", "0");
        }
    }

    private void queueTime(long micros) {
        redis.queueQuietly(
                "MSET",
                "sim:s",
                Long.toString(Math.floorDiv(micros, 1_000_000L)),
                "sim:us",
                Long.toString(Math.floorMod(micros, 1_000_000L)));
    }

    private List<byte[]> words(Call call) {
        List<byte[]> words = new ArrayList<>(3 + call.keys.size() + call.arguments.size());
        if (call.script == null) {
            words.add(Layout.bytes(call.command));
        } else {
            words.add(Layout.bytes("EVALSHA"));
            words.add(redis.load(call.script, bug));
            words.add(Text.bytes(call.keys.size()));
        }
        words.addAll(call.keys);
        words.addAll(call.arguments);
        return words;
    }

    private void queueFlightAndOwners() {
        for (int p : partitions) {
            redis.queue(
                    Layout.bytes("ZRANGE"),
                    layout.key(p, "f"),
                    Text.ZERO,
                    Layout.bytes("-1"),
                    Layout.bytes("WITHSCORES"));
            redis.queue(Layout.bytes("HMGET"), layout.key(p, "m"), Layout.bytes("owner"), Layout.bytes("lease"));
        }
    }

    private void queueRecordsAndOwners() {
        for (int p : partitions) {
            redis.queue(Layout.bytes("HGETALL"), layout.key(p, "r"));
            redis.queue(Layout.bytes("HMGET"), layout.key(p, "m"), Layout.bytes("owner"), Layout.bytes("lease"));
        }
    }

    /** Takes what came of a call; returns what is to be judged, if anything. Messages are added to the others. */
    @Nullable
    Look take(SimulatedCall call, long monoNanos, Iterator<@Nullable Object> replies, List<byte[]> published) {
        call.isExecuted = true;
        long micros = micros(call, monoNanos);
        if (call.call.command.equals("TIME")) {
            call.value = List.of(Text.bytes(micros / 1_000_000), Text.bytes(micros % 1_000_000));
            return null;
        }
        if (call.call.command.equals("CLUSTER")) {
            call.value = slots.get();
            return null;
        }
        if (call.call.script == null) {
            call.value = replies.next();
            return null;
        }
        Map<String, Double> heldUntil = new TreeMap<>();
        Map<Integer, Owner> ownersBefore = new TreeMap<>();
        if (isWatched(call.call)) {
            for (int p : partitions) {
                List<?> flight = (List<?>) replies.next();
                for (int i = 0; i < flight.size(); i += 2) {
                    heldUntil.put(name((byte[]) flight.get(i)), Double.valueOf(SimulatedRedis.text(flight.get(i + 1))));
                }
                ownersBefore.put(p, owner((List<?>) replies.next()));
            }
        }
        call.value = replies.next();
        if (replies.next() instanceof List<?> messages) {
            messages.forEach(each -> published.add((byte[]) each));
        }
        boolean isDone = !(call.value instanceof Refused);
        if (isDone && !call.isAstray && !READING.contains(call.call.script.name())) {
            journal.add(new Written(call.seq, monoNanos, micros, words(call.call), isFull));
        }
        call.position = call.isAstray ? NEVER : journal.size();
        if (!isWatched(call.call)) {
            return null;
        }
        Look look = look(call, micros / 1_000, heldUntil, ownersBefore, replies);
        return call.isAstray ? null : look;
    }

    private Look look(
            SimulatedCall call,
            long nowMs,
            Map<String, Double> heldUntil,
            Map<Integer, Owner> ownersBefore,
            Iterator<@Nullable Object> replies) {
        Map<Integer, Map<String, byte[]>> records = new TreeMap<>();
        Map<Integer, Owner> owners = new TreeMap<>();
        for (int p : partitions) {
            records.put(p, records((List<?>) replies.next()));
            owners.put(p, owner((List<?>) replies.next()));
        }
        return new Look(call, nowMs, heldUntil, ownersBefore, owners, records);
    }

    private static Map<String, byte[]> records(List<?> all) {
        Map<String, byte[]> records = new TreeMap<>();
        for (int i = 0; i < all.size(); i += 2) {
            records.put(name((byte[]) all.get(i)), (byte[]) all.get(i + 1));
        }
        return records;
    }

    private static Owner owner(List<?> meta) {
        String lease = SimulatedRedis.text(meta.get(1));
        return new Owner(SimulatedRedis.text(meta.get(0)), lease.isEmpty() ? 0 : Long.parseLong(lease));
    }

    /** The key of a field. */
    static String name(byte[] field) {
        return Layout.timerKey(field).key();
    }

    // ---- replicas

    /** How many calls of the journal came before that place. */
    int lastSeq(int position) {
        return position == 0 ? 0 : journal.get(position - 1).seq;
    }

    /** The place in the journal that was reached at a time. */
    int position(long monoNanos) {
        int position = journal.size();
        while (position > 0 && journal.get(position - 1).monoNanos > monoNanos) {
            position--;
        }
        return position;
    }

    /** Its replica takes its place, with so much of the journal, and another clock. Gives what stands then. */
    Map<Integer, Map<String, byte[]>> failOver(int position, long newOffsetMicros) {
        journal.subList(position, journal.size()).clear();
        replicated = journal.size();
        generation++;
        formerOffsetMicros = offsetMicros;
        offsetMicros = newOffsetMicros;
        int before = database;
        database = spare;
        spare = before;
        redis.select(database);
        redis.queueQuietly("FLUSHDB");
        for (Written each : journal) {
            queueTime(each.micros);
            queue(each.words, each.isFull);
        }
        redis.queue("DEL", "sim:published");
        redis.flush();
        for (int p : partitions) {
            redis.queue(Layout.bytes("HGETALL"), layout.key(p, "r"));
        }
        Iterator<@Nullable Object> replies = redis.flush().iterator();
        Map<Integer, Map<String, byte[]>> records = new TreeMap<>();
        partitions.forEach(p -> records.put(p, records((List<?>) replies.next())));
        return records;
    }
}
