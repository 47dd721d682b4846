package io.tickwheel.engine;

import java.util.List;

/**
 * A kind of source, such as a queue of RabbitMQ: what makes timers of messages that somebody sends elsewhere. Whoever adds one implements this, and registers it as a
 * service. One instance serves a whole process; the constructor opens nothing.
 */
public interface SourceKind {

    /** The name of the kind, which its settings have: 1 to 32 lower-case letters, digits and hyphens. Never changes. */
    String name();

    /** The settings {@code sources.KIND.OPTION} that {@link #open} takes. A source is opened where one of them is set, and nowhere else. */
    List<KindOption> options();

    /**
     * Opens the source: from now on it takes messages in, and schedules. Called once for each start of a server, on a thread that may block, when the engine has opened; it
     * should wait for no other system, and connect by itself. Whoever calls this closes the source with {@link Source#close}, before the engine.
     *
     * @param timers what to schedule in
     * @throws InvalidTargetException when an option breaks a rule, with its name as the field; any exception ends the start
     */
    Source open(SourceOptions options, Tickwheel timers);
}
