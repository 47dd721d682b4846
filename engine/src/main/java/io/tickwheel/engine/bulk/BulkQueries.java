package io.tickwheel.engine.bulk;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkView;
import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is asked about the bulk runs of the store, whichever node works on them. Owned by the loop. */
public final class BulkQueries {

    private final BulkBook book;
    private final Supplier<List<Bulk>> known;
    private final Predicate<String> isWorkedOn;

    /**
     * @param known the runs that this node knows
     * @param isWorkedOn whether this node works on the run of an id
     */
    BulkQueries(BulkBook book, Supplier<List<Bulk>> known, Predicate<String> isWorkedOn) {
        this.book = book;
        this.known = known;
        this.isWorkedOn = isWorkedOn;
    }

    /** All runs that the calendar knows, and those that are known here only; the youngest first. */
    public void views(Answer<List<BulkView>> answer) {
        book.all(then(answer, documents -> {
            List<BulkView> views = new ArrayList<>();
            known.get().stream().filter(run -> isShown(run, documents)).forEach(run -> views.add(run.view()));
            for (BulkDocument document : documents) {
                if (views.stream().noneMatch(view -> view.id().equals(document.id()))) {
                    views.add(document.view());
                }
            }
            Comparator<BulkView> byAge =
                    Comparator.comparing(view -> view.progress().startedAt());
            views.sort(byAge.reversed());
            answer.accept(views);
        }));
    }

    /** Whether this node knows best how a run stands. */
    private boolean isShown(Bulk run, List<BulkDocument> documents) {
        return isWorkedOn.test(run.id())
                || documents.stream().noneMatch(document -> document.id().equals(run.id()));
    }

    /** A run; empty when none of that id is known. */
    public void view(String id, Answer<Optional<BulkView>> answer) {
        Bulk here = here(id);
        if (here != null && isWorkedOn.test(id)) {
            answer.accept(Optional.of(here.view()));
            return;
        }
        Optional<BulkView> otherwise = Optional.ofNullable(here).map(Bulk::view);
        book.read(
                id,
                then(
                        answer,
                        found -> answer.accept(found.map(BulkDocument::view).or(() -> otherwise))));
    }

    /** Has a run end that is not worked on here; the answer is how it stands once that is stored, and empty when none of that id is known. */
    void stop(String id, Answer<Optional<BulkView>> answer) {
        Bulk here = here(id);
        if (here != null) {
            // One that is not stored yet learns of it when its document has come.
            here.stop();
        }
        Optional<BulkView> otherwise = Optional.ofNullable(here).map(Bulk::view);
        book.stop(
                id,
                then(
                        answer,
                        found -> answer.accept(found.map(BulkDocument::view).or(() -> otherwise))));
    }

    private @Nullable Bulk here(String id) {
        return known.get().stream()
                .filter(run -> run.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    private static <T> Answer<T> then(Answer<?> failing, Consumer<T> next) {
        return new Answer<>() {

            @Override
            public void accept(T given) {
                next.accept(given);
            }

            @Override
            public void fail(StoreException reason) {
                failing.fail(reason);
            }
        };
    }
}
