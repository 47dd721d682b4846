package io.tickwheel.store;

/**
 * The durable calendar of time slices: the truth about every timer. What it can do is divided by kind:
 *
 * <ul>
 *   <li>{@link CalendarCommands}: callers make, replace and cancel timers;
 *   <li>{@link CalendarQueries}: callers find, list and count them;
 *   <li>{@link CalendarLoading}: what comes due next is told to the index in memory;
 *   <li>{@link CalendarClaims}: one attempt of a timer, from its claim to its end;
 *   <li>{@link CalendarLoop}: the loop gives the calendar its turns, and learns how it is.
 * </ul>
 *
 * <p>One thread, the loop of the engine, makes all calls, unless a method says otherwise. No call but {@link #close} blocks on I/O. Answers and
 * claims come back on that thread, within the call or in a later {@link #work}. The calendar reads no clock of this machine: times come in
 * as parameters. Times are milliseconds since the epoch, unless the name says another unit.
 *
 * <p>{@link ScheduleCommand} says which queues, keys, due times and contents every calendar takes. How to write one, and the tests that hold
 * it to its obligations: {@code docs/extending.md}.
 */
public interface Calendar extends CalendarCommands, CalendarQueries, CalendarLoading, CalendarClaims, CalendarLoop {}
