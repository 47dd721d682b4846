package io.tickwheel.server.audit;

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
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private byte[] inHand = {};
    private boolean writing;
    private boolean failed;
    private boolean closing;

    public AuditLog(AuditConfig config, Vertx vertx) {
        this.config = config;
        this.vertx = vertx;
        this.file = new AuditFile(config);
    }

    /**
     * Makes sure that the file can be written.
     *
     * @throws IOException when it cannot
     */
    public void open() throws IOException {
        file.write(new byte[0]);
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
        waiting.writeBytes(entry.line());
        if (!writing) {
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

    private synchronized void failed(Throwable failure) {
        if (!failed) {
            failed = true;
            LOG.error("the audit log cannot be written, it is tried again: {}", failure.toString());
        }
        if (closing) {
            closed.complete(null);
        }
        vertx.setTimer(AGAIN_MS, id -> again());
    }

    private synchronized void again() {
        write();
    }

    /** Completes when all that was added is written, or cannot be. */
    public synchronized CompletableFuture<?> close() {
        if (!writing) {
            closed.complete(null);
        }
        closing = true;
        return closed.copy();
    }
}
