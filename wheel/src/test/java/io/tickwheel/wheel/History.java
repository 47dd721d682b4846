package io.tickwheel.wheel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What several threads did with a few timers of one stripe while the clock stood still, and whether that is linearizable:
 * whether there is an order of the operations, each at a moment between its call and its return, in which a timer that does
 * one thing at a time gives the same answers. Searched as by J. Wing and C. Gong, "Testing and Verifying Concurrent
 * Objects", 1993, with the memory of states by G. Lowe, "Testing for Linearizability", 2017.
 */
final class History {
    /*
     * An expiry and a shutdownNow are not one step. While they are under way the model may take, for each timer, the
     * steps in lower case; where they end nothing may be left that they were to take.
     *
     *     FAR, DUE --expire--> EXPIRED --START--> STARTED, or RUNNING --again--> FAR
     *     FAR, DUE --take----> TAKEN, EXPIRED --RETURNED--> CANCELLED
     */
    enum Place {
        ABSENT,
        FAR,
        DUE,
        EXPIRED,
        TAKEN,
        RUNNING,
        STARTED,
        CANCELLED
    }

    enum Kind {
        SCHEDULE_DUE,
        SCHEDULE_FAR,
        CANCEL,
        RESCHEDULE_DUE,
        RESCHEDULE_FAR,
        STATE,
        PENDING,
        SHUTDOWN,
        /** The task was called. */
        START,
        /** The expiry has returned. */
        EXPIRED_ALL,
        /** The task was in the list that shutdownNow returned. */
        RETURNED,
        /** The call of shutdownNow has returned. */
        CANCELLED_ALL,
        /** Nobody does anything any more. */
        QUIET
    }

    private record Operation(Kind kind, int timer, Object answer, long called, long returned) {
        @Override
        public String toString() {
            return called + "-" + returned + " " + kind + " " + timer + ": " + answer;
        }
    }

    /** @param places where the timers are, four bits for each */
    @SuppressWarnings("EnumOrdinal") // A set of states is large, and lives as long as its search.
    private record Model(long places, boolean closed) {
        Place place(int timer) {
            return Place.values()[(int) (places >>> (4 * timer)) & 15];
        }

        Model with(int timer, Place place) {
            long others = places & ~(15L << (4 * timer));
            return new Model(others | (long) place.ordinal() << (4 * timer), closed);
        }
    }

    private record Visited(long done, Model model) {}

    private final int timers;
    private final Set<Integer> periodic;
    private final List<Operation> operations = new ArrayList<>();

    History(int timers, Set<Integer> periodic) {
        this.timers = timers;
        this.periodic = periodic;
    }

    /** Adds an operation. The times are numbers of one counter. */
    synchronized History add(Kind kind, int timer, Object answer, long called, long returned) {
        operations.add(new Operation(kind, timer, answer, called, returned));
        return this;
    }

    boolean isLinearizable() {
        operations.sort(Comparator.comparingLong(Operation::called));
        assert operations.size() < Long.SIZE;
        return search(0, new Model(0, false), new HashSet<>());
    }

    private boolean search(long done, Model model, Set<Visited> visited) {
        if (done == (1L << operations.size()) - 1) {
            return true;
        }
        if (!visited.add(new Visited(done, model))) {
            return false;
        }
        long firstReturn = Long.MAX_VALUE;
        for (int i = 0; i < operations.size(); i++) {
            if ((done & (1L << i)) == 0) {
                firstReturn = Math.min(firstReturn, operations.get(i).returned);
            }
        }
        for (int i = 0; i < operations.size() && operations.get(i).called < firstReturn; i++) {
            if ((done & (1L << i)) == 0) {
                Operation next = operations.get(i);
                Model after = apply(next, model);
                if ((after != null && search(done | 1L << i, after, visited))
                        || searchSteps(next.kind, done, model, visited)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Tries what an operation that is under way may do to one timer. */
    private boolean searchSteps(Kind underWay, long done, Model model, Set<Visited> visited) {
        for (int timer = 0; timer < timers; timer++) {
            Place place = model.place(timer);
            Place next = place;
            if (underWay == Kind.EXPIRED_ALL && place == Place.DUE) {
                next = Place.EXPIRED;
            } else if (underWay == Kind.EXPIRED_ALL && place == Place.RUNNING) {
                next = model.closed ? Place.CANCELLED : Place.FAR;
            } else if (underWay == Kind.CANCELLED_ALL && model.closed && isWaiting(place)) {
                next = Place.TAKEN;
            }
            if (next != place && search(done, model.with(timer, next), visited)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the model after an operation, or null if it would not give this answer. */
    @SuppressWarnings("NullAway")
    private Model apply(Operation operation, Model model) {
        int timer = operation.timer;
        Place place = model.place(timer);
        boolean success = Boolean.TRUE.equals(operation.answer);
        return switch (operation.kind) {
            case SCHEDULE_DUE -> schedule(model, timer, Place.DUE, success);
            case SCHEDULE_FAR -> schedule(model, timer, Place.FAR, success);
            case CANCEL -> change(model, timer, isPending(place), Place.CANCELLED, success);
            case RESCHEDULE_DUE -> change(model, timer, isWaiting(place), Place.DUE, success);
            case RESCHEDULE_FAR -> change(model, timer, isWaiting(place), Place.FAR, success);
            case STATE -> operation.answer == stateOf(place) ? model : null;
            case PENDING -> operation.answer.equals(count(model, Place.FAR) + count(model, Place.DUE)) ? model : null;
            case SHUTDOWN -> new Model(model.places, true);
            case START ->
                place == Place.EXPIRED
                        ? model.with(timer, periodic.contains(timer) ? Place.RUNNING : Place.STARTED)
                        : null;
            case RETURNED -> place == Place.TAKEN || place == Place.EXPIRED ? model.with(timer, Place.CANCELLED) : null;
            case EXPIRED_ALL -> has(model, Place.DUE, Place.EXPIRED, Place.RUNNING) ? null : model;
            case CANCELLED_ALL -> has(model, Place.FAR, Place.DUE, Place.TAKEN, Place.EXPIRED) ? null : model;
            case QUIET -> has(model, Place.DUE, Place.EXPIRED, Place.TAKEN, Place.RUNNING) ? null : model;
        };
    }

    @SuppressWarnings("NullAway")
    private static Model schedule(Model model, int timer, Place place, boolean accepted) {
        if (accepted == model.closed) {
            return null;
        }
        return accepted ? model.with(timer, place) : model;
    }

    @SuppressWarnings("NullAway")
    private static Model change(Model model, int timer, boolean possible, Place place, boolean success) {
        if (possible != success) {
            return null;
        }
        return success ? model.with(timer, place) : model;
    }

    private static boolean isWaiting(Place place) {
        return place == Place.FAR || place == Place.DUE;
    }

    private static boolean isPending(Place place) {
        return isWaiting(place) || place == Place.EXPIRED || place == Place.TAKEN || place == Place.RUNNING;
    }

    private static Timeout.State stateOf(Place place) {
        return switch (place) {
            case STARTED -> Timeout.State.STARTED;
            case CANCELLED -> Timeout.State.CANCELLED;
            default -> Timeout.State.PENDING;
        };
    }

    private int count(Model model, Place place) {
        int count = 0;
        for (int timer = 0; timer < timers; timer++) {
            count += model.place(timer) == place ? 1 : 0;
        }
        return count;
    }

    private boolean has(Model model, Place... places) {
        int count = 0;
        for (Place place : places) {
            count += count(model, place);
        }
        return count > 0;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("periodic " + periodic);
        operations.forEach(operation -> text.append("\n    ").append(operation));
        return text.toString();
    }
}
