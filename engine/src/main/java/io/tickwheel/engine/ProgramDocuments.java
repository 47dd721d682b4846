package io.tickwheel.engine;

import io.tickwheel.store.IdMismatchException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Texts that a program keeps beside its timers, each under a name: in the same store, so that all nodes see them, and as durable. For few and small ones, that change
 * seldom. Names follow the rule for queues. Thread-safe.
 *
 * <pre>{@code
 * ProgramDocument written = timers.writeDocument("rates", "1.2", null).join();
 * timers.writeDocument("rates", "1.3", written.id()).join();
 * }</pre>
 */
public interface ProgramDocuments {

    /** A document; empty when none has the name. */
    CompletableFuture<Optional<ProgramDocument>> document(String name);

    /** The id of a document, for those who look whether it is another one: cheaper than the document. Empty when none has the name. */
    CompletableFuture<Optional<String>> documentId(String name);

    /**
     * Writes a document in the place of the one that was seen. The future fails with {@link IdMismatchException} when that is not there any more, and nothing is
     * written then: of two who write at once one does.
     *
     * @param text valid Unicode, at most 16 MiB of UTF-8
     * @param expectedId of the document that was seen; null when none was
     */
    CompletableFuture<ProgramDocument> writeDocument(String name, String text, @Nullable String expectedId);
}
