package io.tickwheel.store;

/**
 * Takes the answer of a {@link Calendar} to one command. Exactly one of the two methods is called, exactly once, on the
 * thread of the calendar, either within the command's call or in a later {@link Calendar#work}. An implementation must be
 * quick, must not throw and must not call the calendar.
 */
public interface Answer<T> {

    /** The command was decided, and the decision is as durable as the calendar promises. */
    void accept(T result);

    /** The command was not carried out, or its outcome is unknown; the exception says which. */
    void fail(StoreException failure);
}
