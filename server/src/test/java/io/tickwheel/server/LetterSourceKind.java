package io.tickwheel.server;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceCounts;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A source as a module of its own would have it, which the server does not know: it makes one timer, of the letter that is its option. */
public final class LetterSourceKind implements SourceKind {

    /** What happened, in its order. */
    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public String name() {
        return "letter";
    }

    @Override
    public List<KindOption> options() {
        return List.of(KindOption.secret("text"));
    }

    @Override
    public Source open(SourceOptions options, Tickwheel timers) {
        String text = options.settings().get("text");
        if (text.isEmpty()) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, "text", "must not be empty");
        }
        events.add("opened");
        timers.schedule(TimerRequest.after("letters", text, Duration.ofDays(1))
                        .withDestination(new Destination("log", "")))
                .join();
        return new Source() {
            @Override
            public Optional<String> unready() {
                return Optional.of("no more letters");
            }

            @Override
            public SourceCounts counts() {
                return new SourceCounts(1, 2, 3, 4);
            }

            @Override
            public void close() {
                events.add(timers.isRunning() ? "closed" : "closed after the engine");
            }
        };
    }
}
