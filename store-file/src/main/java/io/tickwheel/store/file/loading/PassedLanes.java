package io.tickwheel.store.file.loading;

import io.tickwheel.store.Lane;
import io.tickwheel.store.file.table.StoreLane;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How far each lane is loaded, and of which lanes something was passed by. Owned by {@link Loading}. */
final class PassedLanes {

    private final Predicate<Lane> mayStart;

    /** By the number of the lane. */
    private @Nullable LaneProgress[] byNumber = new LaneProgress[16];

    /** Lanes that may start, and of which something was passed by. */
    private final Set<LaneProgress> behind = new LinkedHashSet<>();

    /** Lanes that cannot start, and of which something was passed by. */
    private final Set<LaneProgress> stuck = new LinkedHashSet<>();

    /** @param mayStart tells whether the attempts of a lane can start; asked once for each lane */
    PassedLanes(Predicate<Lane> mayStart) {
        this.mayStart = mayStart;
    }

    /** The progress of a lane that is known: the number of one that was forgotten may be another's by now. */
    LaneProgress of(StoreLane lane) {
        if (lane.isForgotten()) {
            throw new IllegalStateException("lane " + lane.lane + " is forgotten");
        }
        int number = lane.number;
        if (number >= byNumber.length) {
            byNumber = Arrays.copyOf(byNumber, Math.max(number + 1, 2 * byNumber.length));
        }
        LaneProgress known = byNumber[number];
        // A lane that was forgotten may have had the number before.
        if (known == null || known.storeLane != lane) {
            known = new LaneProgress(lane);
            byNumber[number] = known;
        }
        return known;
    }

    boolean mayStart(LaneProgress lane) {
        Boolean known = lane.mayStart;
        if (known == null) {
            known = mayStart.test(lane.storeLane.lane);
            lane.mayStart = known;
        }
        return known;
    }

    /** Takes note that something of a lane was passed by. */
    void add(LaneProgress lane) {
        (mayStart(lane) ? behind : stuck).add(lane);
    }

    /** Takes note that nothing of a lane that was passed by is left. */
    void remove(LaneProgress lane) {
        behind.remove(lane);
        stuck.remove(lane);
    }

    void suspend(LaneProgress lane) {
        lane.mayStart = false;
        if (behind.remove(lane)) {
            stuck.add(lane);
        }
    }

    void resume(LaneProgress lane) {
        lane.mayStart = true;
        if (stuck.remove(lane)) {
            behind.add(lane);
        }
    }

    boolean isBehind(LaneProgress lane) {
        return behind.contains(lane);
    }

    boolean isNoneBehind() {
        return behind.isEmpty();
    }

    /** Nothing of the lanes that are behind is due before this; {@code toMs} when that is earlier. */
    long firstBehindMs(long toMs) {
        long first = toMs;
        for (LaneProgress lane : behind) {
            first = Math.min(first, lane.passedFromMs);
        }
        return first;
    }

    /** The lanes that are behind and open, at most {@code most}; those that have waited longest. */
    List<LaneProgress> openOnes(Predicate<LaneProgress> isOpen, int most) {
        behind.removeIf(lane -> lane.storeLane.isForgotten());
        List<LaneProgress> open = new ArrayList<>();
        for (LaneProgress lane : behind) {
            if (isOpen.test(lane)) {
                open.add(lane);
            }
        }
        if (open.size() > most) {
            open.sort(Comparator.comparingLong(lane -> lane.passedFromMs));
            return open.subList(0, most);
        }
        return open;
    }

    /** Those that are behind, then those that are stuck. */
    List<LaneProgress> all() {
        List<LaneProgress> all = new ArrayList<>(behind);
        all.addAll(stuck);
        return all;
    }
}
