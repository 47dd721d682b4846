package io.tickwheel.server.cli;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.config.StoreWatch;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A line on a terminal that says how far a long work has come: what is done, how fast, and how long it takes still, where it is
 * known how much there is. It is written over and over, ten times a second at most, and wiped in the end; work that ends sooner
 * shows none. Where there is no terminal, nothing is written. Thread-safe.
 *
 * <pre>
 *   verify: 1.5 GiB of 6.0 GiB, 512.0 MiB/s, 9 s left
 *   export: 120,000 timers, 40,000/s
 * </pre>
 *
 * <p>Worked example: 1.5 of 6 GiB have taken 3 s, so the other 4.5 take 9 s more. What is left is rounded up.
 */
final class Progress implements StoreWatch, AutoCloseable {

    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String[] BYTE_UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    private static final int KIBI = 1_024;
    private static final String WIPE = "\r\u001b[K";

    /** Around a line, which on a narrow terminal would go on in the next one: only the last of its lines could be wiped. */
    private static final String NO_WRAP = "\u001b[?7l";

    private static final String WRAP = "\u001b[?7h";

    private final String what;
    private final PrintWriter terminal;
    private final boolean isShown;
    private final Clock clock;
    private final long startNanos;
    private long writtenNanos;
    private String line = "";

    /** How a number of something is written. */
    private interface Unit {
        String text(long number);
    }

    /**
     * @param what the work, as the line begins
     * @param terminal where the line is written
     * @param isShown whether that is a terminal
     */
    Progress(String what, PrintWriter terminal, boolean isShown, Clock clock) {
        this.what = what;
        this.terminal = terminal;
        this.isShown = isShown;
        this.clock = clock;
        this.startNanos = clock.monoNanos();
        this.writtenNanos = startNanos;
    }

    static Progress of(String what, PrintWriter terminal, Surroundings around) {
        return new Progress(what, terminal, around.showsErrors(), around.clock());
    }

    @Override
    public void bytes(long done, long total) {
        bytes(done, OptionalLong.of(total));
    }

    void bytes(long done, OptionalLong total) {
        at(done, total, Progress::byteText, "");
    }

    @Override
    public void partitions(long done, long total) {
        at(done, OptionalLong.of(total), Progress::countText, " partitions");
    }

    void timers(long done, OptionalLong total) {
        at(done, total, Progress::countText, " timers");
    }

    /** Prints a line beside the progress, which comes back with its next step. */
    synchronized void say(String text) {
        wipe();
        terminal.println(text);
        terminal.flush();
    }

    @Override
    public synchronized void close() {
        wipe();
        terminal.flush();
    }

    private synchronized void at(long done, OptionalLong total, Unit unit, String noun) {
        long nowNanos = clock.monoNanos();
        if (!isShown || nowNanos - writtenNanos < BETWEEN_NANOS) {
            return;
        }
        writtenNanos = nowNanos;
        double perSecond = (double) done * NANOS_PER_SECOND / (double) (nowNanos - startNanos);
        StringBuilder text = new StringBuilder(what).append(": ").append(unit.text(done));
        total.ifPresent(all -> text.append(" of ").append(unit.text(Math.max(done, all))));
        text.append(noun).append(", ").append(unit.text(Math.round(perSecond))).append("/s");
        if (total.isPresent() && done > 0) {
            double left = (double) Math.max(0, total.getAsLong() - done) / perSecond;
            text.append(", ").append(timeText((long) Math.ceil(left))).append(" left");
        }
        line = text.toString();
        terminal.print(NO_WRAP + WIPE + line + WRAP);
        terminal.flush();
    }

    private void wipe() {
        if (!line.isEmpty()) {
            terminal.print(WIPE);
            line = "";
        }
    }

    private static String countText(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String byteText(long number) {
        if (number < KIBI) {
            return number + " B";
        }
        double value = (double) number / KIBI;
        int unit = 0;
        // Not 1024.0 of one unit where it is 1.0 of the next.
        while (value >= KIBI - 0.05 && unit < BYTE_UNITS.length - 1) {
            value /= KIBI;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", value, BYTE_UNITS[unit]);
    }

    private static String timeText(long seconds) {
        if (seconds < 60) {
            return seconds + " s";
        }
        return seconds < 3_600
                ? seconds / 60 + " min " + seconds % 60 + " s"
                : seconds / 3_600 + " h " + seconds % 3_600 / 60 + " min";
    }
}
