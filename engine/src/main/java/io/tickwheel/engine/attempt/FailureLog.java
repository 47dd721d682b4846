package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes into the log which timers have died, a line each, and for each destination how many attempts have failed, a line in ten seconds. What
 * goes beyond so many lines in ten seconds is counted, and its number told. Owned by the loop.
 */
public final class FailureLog {

    static final long WINDOW_NANOS = 10_000_000_000L;
    static final int MOST_DEAD = 100;
    static final int MOST_DESTINATIONS = 20;

    private static final int MOST_CHARACTERS = 200;
    private static final long NANOS_A_SECOND = 1_000_000_000L;

    private final Map<String, Target> targets;
    private final Consumer<String> warn;
    private final Consumer<String> info;
    private final Map<String, Failures> byDestination = new LinkedHashMap<>();
    private boolean isOpen;
    private long openedNanos;
    private int dead;
    private long failedElsewhere;

    private static final class Failures {
        private long number;
        private String last = "";
    }

    /**
     * @param targets by their names
     * @param warn takes the lines of dead timers
     * @param info takes the lines of destinations
     */
    public FailureLog(Map<String, Target> targets, Consumer<String> warn, Consumer<String> info) {
        this.targets = targets;
        this.warn = warn;
        this.info = info;
    }

    /** An attempt has failed, whether another is made or not. */
    void failed(Attempt attempt, String reason, long nowNanos) {
        open(nowNanos);
        String place = place(attempt.destination());
        Failures failures = byDestination.get(place);
        if (failures == null) {
            if (byDestination.size() == MOST_DESTINATIONS) {
                failedElsewhere++;
                return;
            }
            failures = new Failures();
            byDestination.put(place, failures);
        }
        failures.number++;
        failures.last = reason;
    }

    /** A timer was given up. */
    void died(Attempt attempt, String reason, long nowNanos) {
        failed(attempt, reason, nowNanos);
        dead++;
        if (dead <= MOST_DEAD) {
            warn.accept("the timer " + shown(attempt.key()) + " of queue "
                    + shown(attempt.queue()) + ", id " + attempt.id() + ", is dead after "
                    + attempt.number() + (attempt.number() == 1 ? " attempt to " : " attempts to ")
                    + place(attempt.destination()) + ": " + shown(reason));
        }
    }

    private void open(long nowNanos) {
        if (!isOpen) {
            isOpen = true;
            openedNanos = nowNanos;
        }
    }

    /**
     * Writes what there is to say when it is time to.
     *
     * @return in how many nanoseconds to be called again; {@link Long#MAX_VALUE} when there is nothing to say
     */
    public long work(long nowNanos) {
        if (!isOpen) {
            return Long.MAX_VALUE;
        }
        long left = WINDOW_NANOS - (nowNanos - openedNanos);
        if (left > 0) {
            return left;
        }
        flush(nowNanos);
        return Long.MAX_VALUE;
    }

    /** Writes what there is to say. */
    public void flush(long nowNanos) {
        if (!isOpen) {
            return;
        }
        // A second at least: less is not worth a number of its own.
        long seconds = Math.max(1, (nowNanos - openedNanos) / NANOS_A_SECOND);
        byDestination.forEach((place, failures) -> info.accept(
                place + ": " + attempts(failures.number) + " in " + seconds + " s, the last: " + shown(failures.last)));
        if (failedElsewhere > 0) {
            info.accept("other destinations: " + attempts(failedElsewhere) + " in " + seconds + " s");
        }
        if (dead > MOST_DEAD) {
            warn.accept((dead - MOST_DEAD) + " timers more have died in " + seconds + " s, which are not named here");
        }
        isOpen = false;
        byDestination.clear();
        failedElsewhere = 0;
        dead = 0;
    }

    private static String attempts(long number) {
        return number == 1 ? "1 attempt has failed" : number + " attempts have failed";
    }

    /** What of a destination says whether it can be reached: of a URL, neither path nor query. An address that nobody here knows may be a secret. */
    private String place(@Nullable Destination destination) {
        if (destination == null) {
            return "its handler";
        }
        String name = destination.target();
        Target target = targets.get(name);
        if (name.equals(Destination.HANDLER) || name.equals(Destinations.PULL)) {
            return shown(name + " " + destination.address());
        }
        if (target == null) {
            return shown(name);
        }
        try {
            return shown(name + " " + target.route(destination.address()));
        } catch (RuntimeException | Error e) {
            // Whatever a target does, the loop goes on.
            return shown(name);
        }
    }

    /** On one line, and not longer than a reader bears, whatever callers and receivers write. */
    private static String shown(String text) {
        String cut = text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "...";
        StringBuilder line = new StringBuilder(cut.length());
        cut.chars().forEach(c -> line.append(Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? '?' : (char) c));
        return line.toString();
    }
}
