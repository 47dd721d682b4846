package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.Ledger.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads all that an open store shows, before any command is given. */
final class FirstLook {

    private final SimulatedStore store;
    private final Ledger ledger;

    /** What the last look was shown of each key; absent when there is no answer, null when no timer was found. */
    private final Map<String, @Nullable Entry> seen = new HashMap<>();

    private final Map<String, String> seenIds = new HashMap<>();

    FirstLook(SimulatedStore store, Ledger ledger) {
        this.store = store;
        this.ledger = ledger;
    }

    /**
     * All that the open store shows, and would deliver.
     *
     * @param loaded what the store has loaded, by its name, which the store's listener keeps up to date
     */
    Map<String, Entry> look(List<String> names, Map<String, PendingTimer> loaded) {
        Map<String, Entry> found = new HashMap<>();
        Set<String> answers = new HashSet<>();
        seen.clear();
        seenIds.clear();
        for (String name : names) {
            store.calendar().find(Workload.key(name), findInto(found, answers, name));
        }
        while (answers.size() < names.size()) {
            assertThat(store.calendar().work(5)).as("answers left").isPositive();
        }
        checkCounts(found);
        assertThat(store.calendar().liveCount())
                .as("live timers, once they are counted")
                .isEqualTo(found.values().stream()
                        .filter(entry -> !entry.state().isFinished())
                        .count());
        for (int turn = 0; !store.calendar().load(Long.MAX_VALUE, Long.MAX_VALUE, 3); turn++) {
            assertThat(turn).as("loads until all is loaded").isLessThan(2_000);
        }
        // A claim and its release leave no trace on the disk.
        Map<String, PendingTimer> toDeliver = new LinkedHashMap<>(loaded);
        List<PendingTimer> granted = new ArrayList<>();
        toDeliver.forEach((name, timer) -> store.calendar().claim(timer, claimed -> {
            granted.add(timer);
            Entry entry = found.get(name);
            int number = TimerContent.number(claimed.content());
            found.put(name, entry.withNumber(number));
        }));
        granted.forEach(timer -> store.calendar().release(timer));
        if (granted.size() < toDeliver.size()) {
            // One could not be read: the store has failed, which its next turn says.
            store.work();
        }
        assertThat(granted).as("granted").hasSameSizeAs(toDeliver.values());
        // A read may have failed within a call, and the store with it, which its next turn says.
        store.work();
        return found;
    }

    /** Which content a dead timer has. */
    int numberOfDead(String name) {
        List<Integer> numbers = new ArrayList<>();
        store.calendar().read(Workload.key(name), new Answer<>() {
            @Override
            public void accept(List<StoredTimer> answer) {
                answer.forEach(timer -> numbers.add(TimerContent.number(timer.content())));
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        });
        while (numbers.isEmpty()) {
            assertThat(store.calendar().work(5)).as("answers left").isPositive();
        }
        return numbers.get(0);
    }

    /** Does not count as shown before it is compared. */
    private Answer<List<TimerView>> findInto(Map<String, Entry> found, Set<String> answers, String name) {
        return new Answer<>() {
            @Override
            public void accept(List<TimerView> answer) {
                store.lookAtFound();
                answers.add(name);
                seen.put(name, null);
                for (TimerView view : answer) {
                    Entry entry = Entry.of(0, view);
                    found.put(name, entry);
                    seen.put(name, entry);
                    seenIds.put(name, view.id());
                }
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        };
    }

    /** Compares what a look that did not come to its end was shown with how the store stands. */
    void checkSeen() {
        seen.forEach((name, entry) -> {
            Entry told = ledger.get(name);
            Entry expected = told == null ? null : told.withNumber(0);
            assertThat(entry).as("seen of %s", name).isEqualTo(expected);
        });
    }

    private void checkCounts(Map<String, Entry> found) {
        Map<String, QueueCounts> counts = new TreeMap<>();
        found.forEach((name, entry) -> {
            String queue = Workload.key(name).queue();
            QueueCounts one = new QueueCounts(
                    queue, entry.state() == TimerState.PENDING ? 1 : 0, 0, entry.state() == TimerState.DEAD ? 1 : 0);
            counts.merge(
                    queue, one, (a, b) -> new QueueCounts(queue, a.pending() + b.pending(), 0, a.dead() + b.dead()));
        });
        List<List<QueueCounts>> answers = new ArrayList<>();
        store.calendar().queues(new Answer<>() {
            @Override
            public void accept(List<QueueCounts> answer) {
                answers.add(answer);
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        });
        while (answers.isEmpty()) {
            store.calendar().work(5);
        }
        assertThat(answers.get(0)).containsExactlyElementsOf(counts.values());
        assertThat(store.calendar().liveCount())
                .isEqualTo(found.values().stream().filter(Entry::isLive).count());
    }

    /** The ids of the last look were shown to somebody: they stay. */
    void showIds() {
        seenIds.forEach((name, id) -> ledger.showId(name, ledger.get(name), id));
    }
}
