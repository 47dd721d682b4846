package io.tickwheel.server.audit;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.access.Caller;
import io.tickwheel.server.wire.JsonOut;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes who did what, beside the event loop: while some lines are written, others gather. Those that cannot be written are kept and tried again, and no call is carried
 * out that would have to be written while too many wait. For one event loop, but for {@link #close}.
 */
public final class AuditLog {

    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final int MOST_BYTES = 4 << 20;
    private static final long AGAIN_MS = 1_000;

    private final AuditConfig config;
    private final AuditFile file;
    private final Vertx vertx;
    private final Clock clock;
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private final Refusals refusals = new Refusals();
    private byte[] inHand = {};
    private boolean isWatched;
    private volatile boolean isTooLarge;
    private boolean writing;
    private boolean failed;
    private boolean resting;
    private boolean closing;
    private boolean isLastTry;

    public AuditLog(AuditConfig config, Vertx vertx, Clock clock) {
        this.config = config;
        this.vertx = vertx;
        this.clock = clock;
        this.file = new AuditFile(config, this::turned);
    }

    /**
     * Writes that a server starts, which a file must take that is to take what it does.
     *
     * @throws IOException when it cannot
     */
    public void open(String version) throws IOException {
        JsonOut out = AuditEntry.begun(clock.wallMs(), Caller.ANYBODY);
        out.field("action").string("START");
        out.field("version").string(version);
        file.write(AuditEntry.ended(out));
    }

    /** Whether all changes are written, or those of administrators only. */
    public boolean isOfAllChanges() {
        return config.allChanges();
    }

    /** Whether more wait than may: nothing is to be done then that would have to be written. */
    public boolean isFull() {
        return waiting.size() >= MOST_BYTES;
    }

    public synchronized void add(AuditEntry entry) {
        long now = clock.monoNanos();
        if (!entry.isRefused()) {
            put(entry.line());
            return;
        }
        if (!refusals.isCounting(now)) {
            put(refusals.end(clock.wallMs()));
        }
        if (refusals.isWritten(entry.caller(), now, clock.wallMs())) {
            put(entry.line());
        }
        if (!isWatched) {
            isWatched = true;
            vertx.setTimer(AGAIN_MS, id -> watch());
        }
    }

    /** Looks whether the minute of the refusals is over. */
    private synchronized void watch() {
        if (refusals.isCounting(clock.monoNanos())) {
            vertx.setTimer(AGAIN_MS, id -> watch());
        } else {
            isWatched = false;
            put(refusals.end(clock.wallMs()));
        }
    }

    private void put(byte[] lines) {
        waiting.writeBytes(lines);
        if (waiting.size() > 0 && !writing) {
            write();
        }
    }

    private void write() {
        writing = true;
        if (inHand.length == 0) {
            inHand = waiting.toByteArray();
            waiting.reset();
        }
        byte[] lines = inHand;
        vertx.executeBlocking(() -> {
                    file.write(lines);
                    return lines;
                })
                .onComplete(written -> written(), this::failed);
    }

    private synchronized void written() {
        inHand = new byte[0];
        if (failed) {
            failed = false;
            LOG.info("the audit log is written again");
        }
        if (waiting.size() > 0) {
            write();
        } else {
            writing = false;
            if (closing) {
                closed.complete(null);
            }
        }
    }

    /** Called with the writes, one at a time. */
    private void turned(@Nullable IOException failure) {
        if (failure != null && !isTooLarge) {
            LOG.error(
                    "the audit log cannot be turned over, {} gets larger than it should: {}",
                    config.file(),
                    failure.toString());
        } else if (failure == null && isTooLarge) {
            LOG.info("the audit log is turned over again");
        }
        isTooLarge = failure != null;
    }

    private synchronized void failed(Throwable failure) {
        if (isLastTry) {
            long lost = lines(inHand) + lines(waiting.toByteArray());
            LOG.error(
                    "the audit log cannot be written and the server stops, lines that are lost: {}; {}",
                    lost,
                    failure.toString());
            inHand = new byte[0];
            waiting.reset();
            writing = false;
            closed.complete(null);
            return;
        }
        if (!failed) {
            failed = true;
            LOG.error("the audit log cannot be written, it is tried again: {}", failure.toString());
        }
        if (closing) {
            isLastTry = true;
            write();
            return;
        }
        resting = true;
        vertx.setTimer(AGAIN_MS, id -> again());
    }

    private static long lines(byte[] text) {
        long lines = 0;
        for (byte each : text) {
            lines += each == '\n' ? 1 : 0;
        }
        return lines;
    }

    private synchronized void again() {
        if (resting) {
            resting = false;
            write();
        }
    }

    /** Completes when all that was added is written, or could not be when it was tried once more, which is logged. */
    public synchronized CompletableFuture<?> close() {
        put(refusals.end(clock.wallMs()));
        closing = true;
        if (resting) {
            resting = false;
            isLastTry = true;
            write();
        } else if (!writing) {
            closed.complete(null);
        }
        return closed.copy();
    }
}
