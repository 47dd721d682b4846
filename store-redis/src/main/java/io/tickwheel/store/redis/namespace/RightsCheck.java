package io.tickwheel.store.redis.namespace;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Looks whether the user of a node may do all that its scripts do. Redis asks for the rights of each command of a script when it comes to it: a script that is
 * refused one behind its first write leaves half of what it was to write. So nobody begins who lacks one.
 */
public final class RightsCheck {

    private static final Script RIGHTS = Script.named("rights");
    private static final String KEY = "rights";

    private final Link link;
    private final Layout layout;
    private final Duration patience;

    public RightsCheck(Link link, Layout layout, Duration patience) {
        this.link = link;
        this.layout = layout;
        this.patience = patience;
    }

    /**
     * Checks; changes nothing.
     *
     * @throws StoreException when the user lacks a right, with the names of the commands
     */
    public void check(Durability durability) {
        Set<String> denied = new LinkedHashSet<>();
        add(denied, new Rights(layout.homeSlot(), layout.homeKey(KEY)));
        for (int i = 0; link.isCluster() && i < layout.partitions; i++) {
            // Each master knows users of its own.
            add(denied, new Rights(layout.slot(i), layout.key(i, KEY)));
        }
        if (durability.kind() == Durability.Kind.REPLICATED) {
            addDenied(denied, "WAIT", List.of(Text.ZERO, Text.ZERO));
        } else if (durability.kind() == Durability.Kind.FSYNC) {
            addDenied(denied, "WAITAOF", List.of(Text.ZERO, Text.ZERO, Text.ONE));
        }
        if (!denied.isEmpty()) {
            throw new StoreException("the user of Redis is denied " + String.join(", ", denied)
                    + ", must be allowed all that nodes need");
        }
    }

    private void add(Set<String> denied, Call call) {
        Reply reply = link.await(call, patience);
        if (!(reply.value() instanceof List<?> commands)) {
            throw new StoreException("Redis did not say what its user may do: " + reply.reason());
        }
        commands.forEach(command -> denied.add(Text.string((byte[]) command)));
    }

    private void addDenied(Set<String> denied, String command, List<byte[]> arguments) {
        Reply reply = link.await(new Plain(layout.homeSlot(), command, arguments), patience);
        if (reply.reason().contains("NOPERM")) {
            denied.add(command);
        }
    }

    private static final class Rights extends Call {

        Rights(int slot, byte[] key) {
            super(slot, RIGHTS, List.of(key), List.of(), Durability.MEMORY);
        }

        @Override
        public void answered(Reply reply) {
            throw new IllegalStateException("it is waited for");
        }
    }

    private static final class Plain extends Call {

        Plain(int slot, String command, List<byte[]> arguments) {
            super(slot, command, List.of(), arguments);
        }

        @Override
        public void answered(Reply reply) {
            throw new IllegalStateException("it is waited for");
        }
    }
}
