package io.tickwheel.store.redis.link;

import io.lettuce.core.api.StatefulRedisConnection;
import io.netty.buffer.ByteBuf;
import io.tickwheel.store.Durability;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection of the calls that are to be durable: written in groups, each with a {@code WAIT} or {@code WAITAOF} behind it,
 * which covers the writes of its own connection only. While one is unanswered the next group gathers, so that the slower the
 * replicas are, the larger the groups.
 *
 * <pre>
 *   written     c1 c2 c3 WAIT          c4 c5 c6 c7 WAIT
 *   answered             v1 v2 v3 1                     v4 v5 v6 v7 1
 *   gathered                  c4 c5 c6 c7
 * </pre>
 */
final class GroupSession extends Session {

    /** Replicas come and go without a word to those who are connected. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Runnable whenFailed;
    private int waits;
    private long lookedNanos;

    /** @param whenFailed told when a server cannot wait for replicas: it may not be the master any more */
    GroupSession(
            LinkContext context,
            CallSink sink,
            Runnable whenFailed,
            Endpoint endpoint,
            StatefulRedisConnection<byte[], byte[]> connection,
            long number,
            Consumer<String> whenLost) {
        super(context, sink, endpoint, connection, number, whenLost);
        this.whenFailed = whenFailed;
        lookedNanos = context.now();
    }

    @Override
    void expire(long now) {
        if (server != null && now - lookedNanos >= LOOK_NANOS) {
            lookedNanos = now;
            order(new ControlCommand(this, (value, error) -> counted(value), "INFO", "replication"));
        }
        super.expire(now);
    }

    private void counted(@Nullable Object value) {
        if (server != null && value instanceof byte[] replication) {
            server = server.with(new String(replication, StandardCharsets.UTF_8));
        }
    }

    @Override
    long patienceNanos() {
        return super.patienceNanos() + Math.max(waits, 1) * TimeUnit.MILLISECONDS.toNanos(context.waitMillis);
    }

    @Override
    void flush() {
        if (waits > 0) {
            return;
        }
        while (!gathered.isEmpty()) {
            addGroup(gathered.element().call.level);
        }
        write();
    }

    private void addGroup(Durability level) {
        List<Attempt> group = new ArrayList<>();
        ArrayDeque<PendingCall> others = new ArrayDeque<>(0);
        for (PendingCall pending = gathered.poll(); pending != null; pending = gathered.poll()) {
            if (!pending.call.level.equals(level)) {
                others.add(pending);
                continue;
            }
            Attempt attempt = add(pending);
            if (attempt != null) {
                group.add(attempt);
            }
        }
        gathered.addAll(others);
        if (!group.isEmpty()) {
            add(new Wait(level, group));
            waits++;
        }
    }

    @Override
    void succeeded(Attempt attempt) {
        // It is durable when its WAIT says so.
    }

    @Override
    @Nullable
    String cannot(PendingCall pending) {
        return server == null ? null : server.cannot(pending.call.level);
    }

    /** Asks how many copies there are of what was written before on this connection. */
    private final class Wait extends WireCommand {

        private final Durability level;
        private final List<Attempt> group;

        Wait(Durability level, List<Attempt> group) {
            super(GroupSession.this);
            this.level = level;
            this.group = group;
        }

        @Override
        void write(ByteBuf out) {
            boolean sync = level.kind() == Durability.Kind.FSYNC;
            writeLength(out, sync ? 4 : 3);
            writeAscii(out, sync ? "WAITAOF" : "WAIT");
            if (sync) {
                writeAscii(out, "1");
            }
            writeAscii(out, Integer.toString(level.copies()));
            writeAscii(out, Long.toString(context.waitMillis));
        }

        @Override
        void replied(@Nullable Object value, @Nullable String error) {
            waits--;
            String unmet = error == null ? unmet(value) : error;
            for (Attempt each : group) {
                settle(each, unmet);
            }
            if (error != null) {
                whenFailed.run();
            }
            flush();
        }

        @Override
        void lost(boolean written, String reason) {
            for (Attempt each : group) {
                settle(each, reason);
            }
        }

        private void settle(Attempt attempt, String unmet) {
            if (attempt.executed) {
                Reply.Outcome outcome = unmet.isEmpty() ? Reply.Outcome.DONE : Reply.Outcome.UNMET;
                GroupSession.this.settle(attempt.pending, outcome, attempt.value, unmet);
            }
        }

        /** What is missing; empty when nothing is. */
        private String unmet(@Nullable Object value) {
            long synced = 1;
            Object copies = value;
            if (level.kind() == Durability.Kind.FSYNC && value instanceof List<?> both && both.size() == 2) {
                synced = (Long) both.get(0);
                copies = both.get(1);
            }
            if (!(copies instanceof Long number)) {
                return "the server did not say how many copies there are";
            }
            if (synced < 1) {
                return "durability is " + level + ", and the master has not synced it in " + context.waitMillis + " ms";
            }
            return number >= level.copies()
                    ? ""
                    : "durability is " + level + ", and after " + context.waitMillis + " ms " + number
                            + " replicas have it";
        }
    }
}
