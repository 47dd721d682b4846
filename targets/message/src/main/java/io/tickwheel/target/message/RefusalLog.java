package io.tickwheel.target.message;

import io.tickwheel.engine.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Says of each message that was refused why, in a line: a sender that is wrong is so a thousand times a second. Beyond 100 lines in ten seconds they are counted, and the next line after these seconds is behind one with their
 * number; counters have them all. For one thread.
 */
public final class RefusalLog {

    static final int MOST_LINES = 100;
    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Clock clock;
    private final Consumer<String> log;
    private long openedNanos;
    private long lines;

    /** @param log takes the lines */
    public RefusalLog(Clock clock, Consumer<String> log) {
        this.clock = clock;
        this.log = log;
    }

    /** A message was refused. */
    public void say(String line) {
        long nowNanos = clock.monoNanos();
        if (lines > 0 && nowNanos - openedNanos >= WINDOW_NANOS) {
            if (lines > MOST_LINES) {
                log.accept("refused " + (lines - MOST_LINES) + " more that are not named here");
            }
            lines = 0;
        }
        if (lines == 0) {
            openedNanos = nowNanos;
        }
        lines++;
        if (lines <= MOST_LINES) {
            log.accept(line);
        }
    }
}
