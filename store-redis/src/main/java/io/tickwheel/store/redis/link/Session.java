package io.tickwheel.store.redis.link;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One physical connection, from its start to its end: it is never opened again. Replies come in the order of the commands.
 * Calls are gathered until {@link #flush}, and are then on their way at once. Of the loop.
 */
class Session implements Attempt.Carrier {

    /** How many may be gathered and in flight. */
    static final int MOST_CALLS = 16_384;

    final LinkContext context;
    final CallSink sink;
    final Endpoint endpoint;

    /** Greater than those of earlier connections of the link. */
    final long number;

    /** Calls that have not been written. */
    final ArrayDeque<PendingCall> gathered = new ArrayDeque<>();

    /** Set once the server has said who it is. */
    @Nullable
    ServerReport server;

    private final StatefulRedisConnection<byte[], byte[]> connection;

    /** What has been written and is not answered, oldest first. */
    private final ArrayDeque<WireCommand> inFlight = new ArrayDeque<>();

    private final List<WireCommand> batch = new ArrayList<>();
    private final Set<String> knownScripts = new HashSet<>();
    private final Consumer<String> whenLost;
    private long lastReplyNanos;
    private boolean closed;

    /**
     * @param whenLost told why when it ends without having been closed
     */
    Session(
            LinkContext context,
            CallSink sink,
            Endpoint endpoint,
            StatefulRedisConnection<byte[], byte[]> connection,
            long number,
            Consumer<String> whenLost) {
        this.context = context;
        this.sink = sink;
        this.endpoint = endpoint;
        this.connection = connection;
        this.number = number;
        this.whenLost = whenLost;
        lastReplyNanos = context.now();
    }

    @Override
    public final Inbox inbox() {
        return context.inbox;
    }

    boolean isFull() {
        return inFlight.size() + gathered.size() >= MOST_CALLS;
    }

    /** How long the server may be silent while it owes a reply. */
    long patienceNanos() {
        return context.timeoutNanos;
    }

    /** Writes what was gathered. */
    void flush() {
        if (gathered.isEmpty()) {
            return;
        }
        for (PendingCall pending = gathered.poll(); pending != null; pending = gathered.poll()) {
            add(pending);
        }
        write();
    }

    /** Writes a command of the link itself at once. */
    void order(ControlCommand control) {
        batch.add(control);
        write();
    }

    /** Takes a call for the next write, or settles it when that cannot be; returns whether it has taken it. */
    final boolean take(PendingCall pending) {
        String cannot = cannot(pending);
        if (cannot != null) {
            settle(pending, Reply.Outcome.REFUSED, null, cannot);
            return false;
        }
        if (isFull()) {
            sink.settled(pending, Reply.unavailable("too many calls to " + endpoint + " have no reply"));
            return false;
        }
        gathered.add(pending);
        return true;
    }

    /** Puts a call into the next write, unless it has been given up, and returns it. */
    final @Nullable Attempt add(PendingCall pending) {
        if (pending.reply != null) {
            sink.left(pending);
            return null;
        }
        if (pending.asked != null) {
            batch.add(new ControlCommand(this, (value, error) -> {}, "ASKING"));
        }
        Script script = pending.call.script;
        boolean whole = script != null && (knownScripts.add(script.sha1()) || pending.whole);
        Attempt attempt = new Attempt(this, pending, whole);
        pending.sent = true;
        batch.add(attempt);
        return attempt;
    }

    final void add(WireCommand command) {
        batch.add(command);
    }

    final void write() {
        if (batch.isEmpty()) {
            return;
        }
        long now = context.now();
        for (WireCommand each : batch) {
            each.sentNanos = now;
            inFlight.add(each);
        }
        connection.dispatch(batch);
        batch.clear();
    }

    @Override
    public final void replied(WireCommand command, @Nullable Object value, @Nullable String error) {
        if (closed) {
            return;
        }
        lastReplyNanos = context.now();
        WireCommand oldest = inFlight.poll();
        assert oldest == command : "replies come in the order of the commands";
        command.replied(value, error);
    }

    @Override
    public final void replied(Attempt attempt, @Nullable Object value, @Nullable String error) {
        PendingCall pending = attempt.pending;
        if (error == null) {
            attempt.executed = true;
            attempt.value = value;
            sink.executed(pending);
            succeeded(attempt);
            return;
        }
        Script script = pending.call.script;
        if (attempt.whole && script != null) {
            // It may have been refused before the server looked at it.
            knownScripts.remove(script.sha1());
        }
        sink.refused(pending, this, error);
    }

    void succeeded(Attempt attempt) {
        settle(attempt.pending, Reply.Outcome.DONE, attempt.value, "");
    }

    @Override
    public final void lost(Attempt attempt, boolean written, String reason) {
        settle(attempt.pending, written ? Reply.Outcome.UNKNOWN : Reply.Outcome.UNAVAILABLE, null, reason);
        sink.left(attempt.pending);
    }

    final void settle(PendingCall pending, Reply.Outcome outcome, @Nullable Object value, String reason) {
        sink.settled(pending, new Reply(outcome, value, reason, number));
    }

    /** Calls of a slot that are gathered or in flight. */
    final int owed(int slot) {
        int count = 0;
        for (WireCommand each : inFlight) {
            if (each instanceof Attempt attempt && attempt.pending.call.slot == slot) {
                count++;
            }
        }
        for (PendingCall each : gathered) {
            if (each.call.slot == slot) {
                count++;
            }
        }
        return count;
    }

    /** Slots that calls are in flight or gathered for. */
    final Set<Integer> owedSlots() {
        Set<Integer> slots = new HashSet<>();
        for (WireCommand each : inFlight) {
            if (each instanceof Attempt attempt && attempt.pending.asked == null) {
                slots.add(attempt.pending.call.slot);
            }
        }
        for (PendingCall each : gathered) {
            slots.add(each.call.slot);
        }
        return slots;
    }

    /** Gives up what has waited for too long, and the connection when the server is silent. */
    void expire(long now) {
        WireCommand oldest = inFlight.peek();
        if (oldest != null) {
            long patience = patienceNanos();
            long since = Math.max(oldest.sentNanos - now, lastReplyNanos - now);
            if (-since > patience) {
                end(false, "no reply from " + endpoint + " for " + TimeUnit.NANOSECONDS.toMillis(-since) + " ms");
                return;
            }
            for (WireCommand each : inFlight) {
                if (now - each.sentNanos <= patience) {
                    break;
                }
                if (each instanceof Attempt attempt) {
                    settle(attempt.pending, Reply.Outcome.UNKNOWN, null, "no reply from " + endpoint + " in time");
                }
            }
        }
        for (PendingCall each : gathered) {
            if (now - each.bornNanos <= patienceNanos()) {
                break;
            }
            settle(each, Reply.Outcome.UNAVAILABLE, null, "not sent in time");
        }
    }

    @Override
    public final void broken(Throwable why) {
        end(true, "the connection to " + endpoint + " was lost: " + Dialer.reason(why));
    }

    /** The connection is no longer there. */
    final void disconnected() {
        end(true, "the connection to " + endpoint + " was lost: " + Dialer.CLOSED);
    }

    private void end(boolean closedByNow, String reason) {
        if (!closed) {
            close(closedByNow, reason);
            whenLost.accept(reason);
        }
    }

    /** Ends it, without telling the owner. */
    final void close(String reason) {
        close(false, reason);
    }

    /**
     * @param closedByNow whether nothing can be written any more, so that it is certain what was
     */
    private void close(boolean closedByNow, String reason) {
        if (closed) {
            return;
        }
        closed = true;
        Dialer.end(connection);
        for (WireCommand each = inFlight.poll(); each != null; each = inFlight.poll()) {
            each.lost(!closedByNow || each.encoded(), reason);
        }
        for (PendingCall each = gathered.poll(); each != null; each = gathered.poll()) {
            settle(each, Reply.Outcome.UNAVAILABLE, null, reason);
            sink.left(each);
        }
    }

    /** Whether the server can do what a level asks for; null, or why not. */
    @Nullable
    String cannot(PendingCall pending) {
        return null;
    }
}
