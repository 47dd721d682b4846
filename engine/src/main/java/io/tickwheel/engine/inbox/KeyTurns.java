package io.tickwheel.engine.inbox;

import io.tickwheel.store.TimerKey;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the commands on a key in the order in which they were given, where one of them takes several calls of the calendar: those that come
 * behind it wait for their turns. O(1) for each command, and next to nothing while no command holds a key. Owned by the loop.
 */
final class KeyTurns {

    private final Inbox inbox;
    private final Map<TimerKey, Held> keys = new HashMap<>();

    /** A key, the command whose turn it is, and those behind it. */
    private static final class Held {
        final ArrayDeque<Inbox.Command> waiting = new ArrayDeque<>();
        Inbox.Command turn;

        Held(Inbox.Command turn) {
            this.turn = turn;
        }
    }

    KeyTurns(Inbox inbox) {
        this.inbox = inbox;
    }

    /** Whether the command has to wait for its turn: it is then decided once more. */
    boolean mustWait(TimerKey key, Inbox.Command command) {
        Held held = keys.isEmpty() ? null : keys.get(key);
        if (held == null || held.turn == command) {
            return false;
        }
        held.waiting.add(command);
        return true;
    }

    /** Has all later commands on the key wait until this one, which need not, passes it on. */
    void hold(TimerKey key, Inbox.Command command) {
        Held held = keys.computeIfAbsent(key, missing -> new Held(command));
        assert held.turn == command;
    }

    /** It is the turn of the next command, if it was that of this one. */
    void passOn(TimerKey key, Inbox.Command command) {
        Held held = keys.isEmpty() ? null : keys.get(key);
        if (held == null || held.turn != command) {
            return;
        }
        Inbox.Command next = held.waiting.poll();
        if (next == null) {
            keys.remove(key);
        } else {
            held.turn = next;
            inbox.again(next);
        }
    }
}
