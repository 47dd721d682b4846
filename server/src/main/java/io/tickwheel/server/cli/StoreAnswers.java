package io.tickwheel.server.cli;

import io.tickwheel.server.config.StartException;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What a directory answers to the lines of an import. Thread-safe. */
final class StoreAnswers {

    private final ServerImport.Results results;

    /** Why no further line is taken. */
    private volatile @Nullable StoreException end;

    /** @param results is told of each line that a later one can follow */
    StoreAnswers(ServerImport.Results results) {
        this.results = results;
    }

    boolean note(int line, @Nullable Scheduled answer, @Nullable Throwable failure) {
        if (answer != null) {
            switch (answer.outcome()) {
                case CREATED, REPLACED -> results.scheduled();
                case KEPT -> results.kept();
                case CONFLICT ->
                    results.refused(
                            line, "there is a timer under " + answer.timer().key());
            }
            return true;
        }
        Throwable cause = cause(failure);
        if (cause instanceof StoreException store && isEnd(store)) {
            end = store;
        } else {
            results.refused(line, reason(cause));
        }
        return true;
    }

    /** @throws StartException when the store takes no further line */
    void check() {
        StoreException reason = end;
        if (reason != null) {
            throw cutOff(reason);
        }
    }

    /** Of an import that waited for an answer, and got none. */
    static RuntimeException cutOff(CompletionException failure) {
        return cause(failure) instanceof StoreException store ? cutOff(store) : failure;
    }

    private static StartException cutOff(StoreException reason) {
        return new StartException(
                "cannot import: " + reason.getMessage()
                        + "; what was scheduled before stands, the same import with --on-conflict keep goes on",
                StartException.IO_ERROR,
                reason);
    }

    /** Whether the next line would be answered alike. */
    private static boolean isEnd(StoreException failure) {
        return failure instanceof StoreFullException || failure instanceof StoreFailedException;
    }

    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static String reason(@Nullable Throwable cause) {
        String message = cause == null ? null : cause.getMessage();
        return message == null ? String.valueOf(cause) : message;
    }
}
