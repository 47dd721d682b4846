package io.tickwheel.testkit;

import io.tickwheel.engine.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Remembers how an attempt ended, for tests of targets: give it to {@link io.tickwheel.engine.Target#deliver}, and see what the target makes of the attempt. An end
 * is told as a text: {@code acknowledged}, or {@code failed}, {@code postponed} or {@code rejected} with what was said. Thread-safe.
 */
public final class RecordedDelivery implements Delivery {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    private final CompletableFuture<String> first = new CompletableFuture<>();
    private final List<String> ends = new CopyOnWriteArrayList<>();
    private volatile String answered = "";
    private volatile boolean reached = true;

    /** A delivery of which nothing is known yet. */
    public RecordedDelivery() {}

    /**
     * Waits for the end, up to a minute.
     *
     * @return the first one, which is the one that counts
     * @throws IllegalStateException when none comes in time, or the thread is interrupted
     */
    public String end() {
        if (!endsWithin(LONGEST_WAIT)) {
            throw new IllegalStateException("the attempt has no end after " + LONGEST_WAIT.toSeconds() + " s");
        }
        return first.join();
    }

    /**
     * Waits for the end, and says whether it came.
     *
     * @throws IllegalStateException when the thread is interrupted
     */
    public boolean endsWithin(Duration time) {
        try {
            var unused = first.get(time.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the end of an attempt was awaited", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Asks whether no end has come so far. */
    public boolean isOpen() {
        return !first.isDone();
    }

    /** Returns all ends that were told so far. A target tells one; further ones are ignored by the engine. */
    public List<String> ends() {
        return List.copyOf(ends);
    }

    /** Returns what the receiver has answered last, the status and the text; empty when nothing was noted. */
    public String answer() {
        return answered;
    }

    /** Asks whether somebody was reached: false once the attempt has ended by {@link #unreachable}. */
    public boolean hasReached() {
        return reached;
    }

    private void end(String how) {
        ends.add(how);
        first.complete(how);
    }

    @Override
    public void answered(int status) {
        answered = String.valueOf(status);
    }

    @Override
    public void answered(int status, String excerpt) {
        answered = status + " " + excerpt;
    }

    @Override
    public void acknowledge() {
        end("acknowledged");
    }

    @Override
    public void fail(String reason) {
        end("failed: " + reason);
    }

    /** Told as {@code failed}; {@link #hasReached} tells it apart. */
    @Override
    public void unreachable(String reason) {
        reached = false;
        end("failed: " + reason);
    }

    @Override
    public void fail(String reason, Duration wait) {
        end("failed: " + reason + ", for " + wait);
    }

    @Override
    public void postpone(String reason, Instant until) {
        end("postponed: " + reason + ", until " + until);
    }

    @Override
    public void reject(String reason) {
        end("rejected: " + reason);
    }
}
