package io.tickwheel.engine.bulk;

import io.tickwheel.engine.BulkView;
import io.tickwheel.engine.Delivery;
import io.tickwheel.store.Answer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A bulk run while it is worked on here, under the claim of its document if it has one. Owned by the loop. */
final class BulkSegment {

    final BulkRun run;

    /** When its document was claimed, or could not be written last. */
    long sinceNanos;

    private @Nullable String documentId;
    private @Nullable Delivery claim;
    private @Nullable String replacedId;
    private boolean saving;

    /** Whoever asked for the end of the run, and is answered when that is stored. */
    private final List<Answer<Optional<BulkView>>> stops = new ArrayList<>();

    /** One that is not stored. */
    BulkSegment(BulkRun run, long nowNanos) {
        this.run = run;
        this.sinceNanos = nowNanos;
    }

    BulkSegment(BulkRun run, long nowNanos, String documentId, Delivery claim) {
        this(run, nowNanos);
        this.documentId = documentId;
        this.claim = claim;
    }

    boolean isOf(String id) {
        return isStored() && run.id().equals(id);
    }

    boolean isStored() {
        return documentId != null;
    }

    boolean isSaving() {
        return saving;
    }

    /** Takes a newer claim, of a document that was replaced by it or by others. */
    void adopt(String newDocumentId, Delivery newClaim, boolean stopWanted) {
        release();
        documentId = newDocumentId;
        claim = newClaim;
        if (stopWanted) {
            run.stop();
        }
    }

    /** Takes note that the document is being replaced; returns which one. */
    @Nullable
    String beginSave() {
        saving = true;
        replacedId = documentId;
        return documentId;
    }

    /** Takes note that it was replaced; returns whether the new document is claimed already. */
    boolean endSave(String newDocumentId) {
        saving = false;
        return newDocumentId.equals(documentId);
    }

    /** Takes note that it was not replaced; returns whether another document is claimed already. */
    boolean endFailedSave() {
        saving = false;
        return !Objects.equals(replacedId, documentId);
    }

    /** Has the run end, and answers when a document that says so is stored. */
    void stop(Answer<Optional<BulkView>> answer) {
        run.stop();
        stops.add(answer);
    }

    /** Hands over those that wait for the end to be stored; they are forgotten here. */
    List<Answer<Optional<BulkView>>> takeStops() {
        List<Answer<Optional<BulkView>>> taken = List.copyOf(stops);
        stops.clear();
        return taken;
    }

    /** Has the document come again, here or elsewhere, as it stands. */
    void giveBack(Instant now) {
        if (claim != null) {
            claim.postpone("the engine closes", now);
        }
    }

    /** Lets go of the claim. When the document was replaced, it has ended with that. */
    void release() {
        if (claim != null) {
            claim.acknowledge();
        }
    }
}
