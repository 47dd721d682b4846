package io.tickwheel.store;

import java.util.Locale;
import java.util.Objects;

/**
 * What is certain once a command is answered. Immutable and thread-safe.
 *
 * <p>A store on a disk knows the first three, a store on Redis the others.
 *
 * @param kind what has happened by then
 * @param copies how many replicas have it, for the kinds that count them; else 0
 */
public record Durability(Kind kind, int copies) {

    /** What a level promises. */
    public enum Kind {
        /** It is on the disk, synced: it outlives the process, the operating system and the power. */
        SYNC,
        /** It is written, and synced a little later: it outlives the process; a power loss can take the last moments. */
        INTERVAL,
        /** It is written, and synced when the operating system likes: it outlives the process. */
        NONE,
        /** The master has it in memory: a failover, or a restart of the master, can take the last moments. */
        MEMORY,
        /** So many replicas have it in memory too: it outlives a failover to one of them. */
        REPLICATED,
        /** It is synced by the master, and by so many replicas. */
        FSYNC;

        private boolean isOfCopies() {
            return this == REPLICATED || this == FSYNC;
        }
    }

    public static final Durability SYNC = new Durability(Kind.SYNC, 0);
    public static final Durability INTERVAL = new Durability(Kind.INTERVAL, 0);
    public static final Durability NONE = new Durability(Kind.NONE, 0);
    public static final Durability MEMORY = new Durability(Kind.MEMORY, 0);

    private static final int MOST_COPIES = 100;

    /** @throws IllegalArgumentException when the number of copies does not fit the kind */
    public Durability {
        Objects.requireNonNull(kind, "kind");
        int least = kind == Kind.REPLICATED ? 1 : 0;
        int most = kind.isOfCopies() ? MOST_COPIES : 0;
        if (copies < least || copies > most) {
            throw new IllegalArgumentException(
                    "copies of " + kind + " is " + copies + ", must be " + least + " to " + most);
        }
    }

    /**
     * In memory, of replicas too.
     *
     * @param copies how many replicas: 1 to 100
     */
    public static Durability replicated(int copies) {
        return new Durability(Kind.REPLICATED, copies);
    }

    /**
     * Synced.
     *
     * @param copies how many replicas beside the master: 0 to 100
     */
    public static Durability fsync(int copies) {
        return new Durability(Kind.FSYNC, copies);
    }

    /** As people write it: {@code sync}, {@code memory}, {@code replicated(1)}. */
    @Override
    public String toString() {
        String name = kind.name().toLowerCase(Locale.ROOT);
        return kind.isOfCopies() ? name + "(" + copies + ")" : name;
    }

    /**
     * Reads what {@link #toString} writes.
     *
     * @throws IllegalArgumentException when the text is no level
     */
    public static Durability parse(String text) {
        for (Kind each : Kind.values()) {
            String name = each.name().toLowerCase(Locale.ROOT);
            if (text.equals(name) && !each.isOfCopies()) {
                return new Durability(each, 0);
            }
            if (text.startsWith(name + "(") && text.endsWith(")")) {
                String number = text.substring(name.length() + 1, text.length() - 1);
                if (number.matches("0|[1-9][0-9]{0,2}") && each.isOfCopies()) {
                    return new Durability(each, Integer.parseInt(number));
                }
            }
        }
        throw new IllegalArgumentException("durability is " + text
                + ", must be sync, interval or none, or on Redis memory, replicated(n) or fsync(n)");
    }
}
