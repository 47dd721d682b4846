package io.tickwheel.benchmarks;

import io.tickwheel.store.Scheduled;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The futures that are not joined yet: a ring, each place of which is joined before it is used again. Not thread-safe. */
final class Outstanding {

    private final @Nullable CompletableFuture<Scheduled>[] ring;
    private int next;

    @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no arrays of generic types.
    Outstanding(int window) {
        ring = new CompletableFuture[window];
    }

    void add(CompletableFuture<Scheduled> answer) {
        joinAt(next);
        ring[next] = answer;
        next = next + 1 == ring.length ? 0 : next + 1;
    }

    void join() {
        for (int i = 0; i < ring.length; i++) {
            joinAt(i);
        }
    }

    private void joinAt(int place) {
        CompletableFuture<Scheduled> answer = ring[place];
        if (answer != null) {
            expectCreated(answer.join());
            ring[place] = null;
        }
    }

    static void expectCreated(Scheduled answer) {
        if (answer.outcome() != Scheduled.Outcome.CREATED) {
            throw new IllegalStateException("expected a new timer: " + answer);
        }
    }
}
