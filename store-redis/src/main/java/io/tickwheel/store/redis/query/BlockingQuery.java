package io.tickwheel.store.redis.query;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks one question after the other, and waits for each answer. Without a loop. */
public final class BlockingQuery {

    private static final int TRIES = 5;
    private static final byte[] PIECE = Layout.bytes("200");

    private final Link link;
    private final Duration timeout;

    public BlockingQuery(Link link, Duration timeout) {
        this.link = link;
        this.timeout = timeout;
    }

    /** Waits for its reply elsewhere. */
    private static final class Awaited extends Call {

        Awaited(int slot, Script script, List<byte[]> keys, List<byte[]> arguments) {
            super(slot, script, keys, arguments, Durability.MEMORY);
        }

        Awaited(int slot, String command, List<byte[]> keys, List<byte[]> arguments) {
            super(slot, command, keys, arguments);
        }

        @Override
        public void answered(Reply reply) {
            throw new IllegalStateException("the reply was awaited");
        }
    }

    public List<?> ask(int slot, Script script, List<byte[]> keys, List<byte[]> arguments) {
        Reply reply = null;
        for (int i = 0; i < TRIES && !isDone(reply); i++) {
            reply = link.await(new Awaited(slot, script, keys, arguments), timeout);
        }
        return list(reply);
    }

    public List<?> ask(int slot, String command, List<byte[]> keys, List<byte[]> arguments) {
        Reply reply = null;
        for (int i = 0; i < TRIES && !isDone(reply); i++) {
            reply = link.await(new Awaited(slot, command, keys, arguments), timeout);
        }
        return list(reply);
    }

    private static boolean isDone(@Nullable Reply reply) {
        return reply != null && reply.outcome() == Reply.Outcome.DONE;
    }

    private static List<?> list(@Nullable Reply reply) {
        if (reply == null || reply.outcome() != Reply.Outcome.DONE) {
            throw new StoreUnavailableException(
                    "Redis does not answer: " + (reply == null ? "" : reply.reason()), false);
        }
        if (!(reply.value() instanceof List<?> list)) {
            throw new StoreException("an answer of Redis is no list");
        }
        return list;
    }

    /** Gives the members or fields of a key, and what each has, in pieces; some may come twice. */
    public void scan(int slot, String command, byte[] key, BiConsumer<byte[], byte[]> each) {
        String cursor = "0";
        do {
            Values in = new Values(
                    ask(slot, command, List.of(key), List.of(Layout.bytes(cursor), Layout.bytes("COUNT"), PIECE)));
            cursor = in.text();
            Values piece = new Values(in.list());
            while (piece.hasNext()) {
                each.accept(piece.bytes(), piece.bytes());
            }
        } while (!cursor.equals("0"));
    }

    /** Gives the keys of the master of a slot; some may come twice. */
    public void scanKeys(int slot, String pattern, Consumer<byte[]> each) {
        String cursor = "0";
        do {
            Values in = new Values(ask(
                    slot,
                    "SCAN",
                    List.of(),
                    List.of(
                            Layout.bytes(cursor),
                            Layout.bytes("MATCH"),
                            Layout.bytes(pattern),
                            Layout.bytes("COUNT"),
                            Layout.bytes("500"))));
            cursor = in.text();
            Values piece = new Values(in.list());
            while (piece.hasNext()) {
                each.accept(piece.bytes());
            }
        } while (!cursor.equals("0"));
    }

    /** For each master one of its slots. */
    public List<Integer> slotOfEachMaster(Layout layout) {
        if (!link.isCluster()) {
            return List.of(layout.homeSlot());
        }
        List<Integer> slots = new ArrayList<>();
        Set<String> masters = new HashSet<>();
        Values ranges = new Values(ask(layout.homeSlot(), "CLUSTER", List.of(), List.of(Layout.bytes("SLOTS"))));
        while (ranges.hasNext()) {
            Values range = new Values(ranges.list());
            int first = Math.toIntExact(range.integer());
            range.integer();
            Values master = new Values(range.list());
            if (masters.add(master.text() + ":" + master.integer())) {
                slots.add(first);
            }
        }
        return slots;
    }
}
