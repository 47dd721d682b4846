package io.tickwheel.engine;

import io.tickwheel.store.*;
import java.util.*;
import java.util.concurrent.CompletableFuture;

final class Shard {
    static Shard open(TimerStore store, ShardOptions options) {
        throw new IllegalStateException();
    }

    void handle(String queue, TimerHandler handler) {}

    CompletableFuture<Scheduled> schedule(TimerKey key, long dueAtMs, TimerRequest request) {
        throw new IllegalStateException();
    }

    CompletableFuture<Cancelled> cancel(TimerKey key) {
        throw new IllegalStateException();
    }

    CompletableFuture<Optional<TimerView>> find(TimerKey key) {
        throw new IllegalStateException();
    }

    CompletableFuture<List<QueueCounts>> queues() {
        throw new IllegalStateException();
    }

    long liveCount() {
        return 0;
    }

    boolean isRunning() {
        return false;
    }

    CompletableFuture<Void> close() {
        throw new IllegalStateException();
    }
}
