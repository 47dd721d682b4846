package io.tickwheel.engine.document;

import io.tickwheel.engine.ProgramDocument;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.queue.QueueBook;
import io.tickwheel.engine.rule.DocumentQueues;
import io.tickwheel.engine.rule.Unicode;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads and writes the documents of a program: each is a timer that is never due, in a queue that no program can name. Owned by the loop. */
public final class DocumentCommands {

    private static final String TYPE = "text/plain; charset=utf-8";
    private static final String NONE = "none";

    private final Calendar calendar;

    /** Those that are known to be there. */
    private final Set<String> names = new HashSet<>();

    public DocumentCommands(Calendar calendar) {
        this.calendar = calendar;
    }

    /** How many timers are documents, as far as is known here: one that nobody has asked for is not. */
    public int timers() {
        return names.size();
    }

    private static TimerKey key(String name) {
        return new TimerKey(DocumentQueues.PROGRAM, name);
    }

    public void read(String name, Answer<Optional<ProgramDocument>> answer) {
        calendar.read(key(name), new Answer<>() {

            @Override
            public void accept(List<StoredTimer> found) {
                Optional<ProgramDocument> document;
                try {
                    document = found(name, found, StoredTimer::view).map(DocumentCommands::document);
                } catch (IllegalArgumentException e) {
                    fail(new StoreException("document " + name + " cannot be read: " + e.getMessage(), e));
                    return;
                }
                answer.accept(document);
            }

            @Override
            public void fail(StoreException reason) {
                answer.fail(reason);
            }
        });
    }

    private static ProgramDocument document(StoredTimer timer) {
        byte[] text = TimerContent.decode(timer.content()).payload();
        return new ProgramDocument(timer.view().id(), new String(text, StandardCharsets.UTF_8));
    }

    public void id(String name, Answer<Optional<String>> answer) {
        calendar.find(
                key(name),
                then(answer, found -> found(name, found, view -> view).map(TimerView::id)));
    }

    private <T> Optional<T> found(String name, List<T> found, Function<T, TimerView> views) {
        Optional<T> live = found.stream()
                .filter(each -> !views.apply(each).state().isFinished())
                .findFirst();
        if (live.isPresent()) {
            names.add(name);
        } else {
            names.remove(name);
        }
        return live;
    }

    /** The command that writes a document; any thread may make it. */
    public static ScheduleCommand writing(String name, String text, @Nullable String expectedId) {
        byte[] content =
                TimerContent.EMPTY.withPayload(Unicode.utf8("text", text), TYPE).encode();
        OnConflict rule = expectedId == null ? OnConflict.FAIL : OnConflict.REPLACE;
        return new ScheduleCommand(key(name), QueueBook.NEVER_MS, content, Lane.QUEUE_ROUTE, rule, 0, expectedId, null);
    }

    public void write(ScheduleCommand command, String text, Answer<ProgramDocument> answer) {
        calendar.schedule(command, new Answer<>() {

            @Override
            public void accept(Scheduled scheduled) {
                names.add(command.key().key());
                if (scheduled.outcome() == Scheduled.Outcome.CONFLICT) {
                    answer.fail(new IdMismatchException(command.key(), NONE, scheduled.timer()));
                } else {
                    answer.accept(new ProgramDocument(scheduled.timer().id(), text));
                }
            }

            @Override
            public void fail(StoreException reason) {
                answer.fail(reason);
            }
        });
    }

    private static <T, R> Answer<T> then(Answer<R> answer, Function<T, R> result) {
        return new Answer<>() {

            @Override
            public void accept(T given) {
                answer.accept(result.apply(given));
            }

            @Override
            public void fail(StoreException reason) {
                answer.fail(reason);
            }
        };
    }
}
