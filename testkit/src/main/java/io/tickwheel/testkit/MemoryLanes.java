package io.tickwheel.testkit;

import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.WaitingLane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What of a {@link MemoryCalendar} waits, lane by lane, and what is loaded of it. */
final class MemoryLanes {

    private final CalendarListener listener;
    private final Consumer<MemoryTimer> told;
    private final Map<Lane, MemoryLane> lanes = new HashMap<>();

    /** What was known of each lane that was asked for: stores need not ask again until they are told that it has changed. */
    private final Map<Lane, Boolean> mayStart = new HashMap<>();

    private long nowMs = Long.MIN_VALUE;
    private long rangeTo = Long.MIN_VALUE;

    /** @param told takes each timer that is loaded, when its place is taken */
    MemoryLanes(CalendarListener listener, Consumer<MemoryTimer> told) {
        this.listener = listener;
        this.told = told;
    }

    MemoryLane lane(Lane lane) {
        return lanes.computeIfAbsent(lane, MemoryLane::new);
    }

    /** See {@link io.tickwheel.store.Calendar#load}. */
    boolean load(long now, long toMs, int limit) {
        nowMs = now;
        rangeTo = Math.max(rangeTo, toMs);
        long freshFrom = now - LoadRoom.FRESH_MS + 1;
        int left = limit - loadFrom(freshFrom, toMs, (limit + 1) / 2, lane -> true);
        left -= loadFrom(Long.MIN_VALUE, freshFrom, left, lane -> room().isBelowMinimum(lane.share));
        left -= loadFrom(Long.MIN_VALUE, freshFrom, left, lane -> true);
        loadFrom(freshFrom, toMs, left, lane -> true);
        return firstToLoad() >= toMs;
    }

    private int loadFrom(long fromMs, long toMs, int limit, Predicate<MemoryLane> wanted) {
        int loaded = 0;
        while (loaded < limit) {
            MemoryTimer next = null;
            for (MemoryLane lane : lanes.values()) {
                MemoryTimer first = lane.waiting.isEmpty() || !wanted.test(lane) ? null : first(lane, fromMs, toMs);
                next = first != null && (next == null || MemoryLane.ORDER.compare(first, next) < 0) ? first : next;
            }
            if (next == null) {
                break;
            }
            load(next);
            loaded++;
        }
        return loaded;
    }

    /** The first one due in that time, when the lane may start and has room for it. */
    private @Nullable MemoryTimer first(MemoryLane lane, long fromMs, long toMs) {
        if (!mayStart(lane.lane)) {
            return null;
        }
        for (MemoryTimer timer : lane.waiting) {
            if (timer.attemptAtMs >= fromMs) {
                boolean isNext = timer.attemptAtMs < toMs && isOpenTo(timer);
                return isNext ? timer : null;
            }
        }
        return null;
    }

    private boolean isOpenTo(MemoryTimer timer) {
        return room().isOpenTo(timer.lane.share, LoadRoom.Age.of(timer.attemptAtMs, nowMs));
    }

    private LoadRoom room() {
        return listener.room();
    }

    private void load(MemoryTimer timer) {
        timer.lane.waiting.remove(timer);
        takePlace(timer);
        told.accept(timer);
    }

    /** Takes in a timer that is pending from now on. */
    void place(MemoryTimer timer) {
        if (timer.attemptAtMs < rangeTo && mayStart(timer.lane.lane) && isOpenTo(timer)) {
            load(timer);
        } else {
            timer.lane.waiting.add(timer);
        }
    }

    private boolean mayStart(Lane lane) {
        boolean may = listener.mayStart(lane);
        Boolean told = mayStart.putIfAbsent(lane, may);
        if (told != null && told != may) {
            throw new IllegalStateException(lane + (may ? " may start" : " may not start") + ", and nobody said so");
        }
        return may;
    }

    /** Whether a lane may start has changed. */
    void changed(Lane lane, boolean may) {
        if (listener.mayStart(lane) != may) {
            throw new IllegalStateException(lane + (may ? " may not start" : " may start"));
        }
        mayStart.put(lane, may);
    }

    void takePlace(MemoryTimer timer) {
        LoadRoom.Age age = LoadRoom.Age.of(timer.attemptAtMs, nowMs);
        timer.loadedAs = age;
        room().take(timer.lane.share, age, room().placesFor(0));
    }

    /** Takes the place of a loaded timer back. */
    void freePlace(MemoryTimer timer) {
        LoadRoom.Age age = timer.loadedAs;
        if (age != null) {
            timer.loadedAs = null;
            room().giveBack(timer.lane.share, age, room().placesFor(0));
        }
    }

    /** See {@link io.tickwheel.store.Calendar#loadedTo}. */
    long loadedTo() {
        return Math.min(rangeTo, firstToLoad());
    }

    /** See {@link io.tickwheel.store.Calendar#firstToLoad}. */
    long firstToLoad() {
        long firstMs = Long.MAX_VALUE;
        for (MemoryLane lane : lanes.values()) {
            if (!lane.waiting.isEmpty() && mayStart(lane.lane)) {
                firstMs = Math.min(firstMs, lane.waiting.first().attemptAtMs);
            }
        }
        return firstMs;
    }

    List<WaitingLane> waiting() {
        List<WaitingLane> waiting = new ArrayList<>();
        for (MemoryLane lane : lanes.values()) {
            if (!lane.waiting.isEmpty() && lane.waiting.first().attemptAtMs <= nowMs) {
                waiting.add(new WaitingLane(lane.lane, lane.waiting.first().attemptAtMs));
            }
        }
        return waiting;
    }

    Collection<MemoryLane> all() {
        return lanes.values();
    }
}
