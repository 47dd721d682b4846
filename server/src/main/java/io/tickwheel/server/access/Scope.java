package io.tickwheel.server.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a token is for. */
public enum Scope {
    /** Schedules and changes timers that stay. */
    SCHEDULE,

    /** Cancels timers, and purges dead ones. */
    CANCEL,

    /** Looks at queues, timers, bulk runs and metrics. */
    READ,

    /** Leases timers, and says what became of them. */
    PULL,

    /** Does all that the others do, sets and empties queues, and makes and revokes tokens. */
    ADMIN;

    /** The word for it in settings, bodies and answers. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All words, for messages. */
    public static String words() {
        return Arrays.stream(values()).map(Scope::word).collect(Collectors.joining(", "));
    }

    /**
     * The scope that a word stands for.
     *
     * @throws IllegalArgumentException with the rule, when it stands for none
     */
    public static Scope of(String word) {
        return Arrays.stream(values())
                .filter(scope -> scope.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("must be one of " + words()));
    }
}
