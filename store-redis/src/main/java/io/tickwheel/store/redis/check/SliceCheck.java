package io.tickwheel.store.redis.check;

import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Holds the directory of slices against the slices that there are, and the count of live timers against the timers in them. */
final class SliceCheck {

    private static final Script SLICES = Script.named("slices");
    private static final int SLICES_AT_ONCE = 2_000;
    private static final int TRIES = 5;

    private final CheckedPartition partition;

    SliceCheck(CheckedPartition partition) {
        this.partition = partition;
    }

    /** @param slices that there were, whatever the directory says: those that it names are added */
    void check(Set<String> slices) {
        List<Contradiction> suspects = List.of();
        for (int i = 0; i < TRIES; i++) {
            partition.scan("ZSCAN", partition.key("i"), (slice, score) -> slices.add(Layout.text(slice)));
            List<Contradiction> now = new ArrayList<>();
            long timers = lookAtSlices(slices, now);
            // A large directory is not looked at in one moment, so what is found must be found again.
            boolean same = i > 0 && now.equals(suspects);
            suspects = now;
            if (now.isEmpty() || same) {
                partition.tally.slices += timers;
                break;
            }
        }
        suspects.forEach(partition.tally::found);
    }

    /** Returns how many slices there are. */
    private long lookAtSlices(Set<String> slices, List<Contradiction> findings) {
        List<String> all = List.copyOf(slices);
        long existing = 0;
        long timers = 0;
        String live = "";
        for (int from = 0; from == 0 || from < all.size(); from += SLICES_AT_ONCE) {
            List<String> names = all.subList(from, Math.min(all.size(), from + SLICES_AT_ONCE));
            List<byte[]> keys = new ArrayList<>(
                    List.of(partition.key("m"), partition.key("i"), partition.key("f"), partition.key("r")));
            names.forEach(name -> keys.add(partition.key("z" + name)));
            Values in = new Values(partition.ask(
                    SLICES, keys, names.stream().map(Layout::bytes).toList()));
            live = in.text();
            in.integer();
            long flight = in.integer();
            timers += from == 0 ? flight : 0;
            for (String name : names) {
                String score = in.text();
                long count = in.integer();
                timers += count;
                existing += count > 0 ? 1 : 0;
                addContradiction(name, score, count, findings);
            }
        }
        if (!live.equals(Long.toString(timers)) && !(live.isEmpty() && timers == 0)) {
            findings.add(partition.contradiction(
                    "m", "live", "is " + (live.isEmpty() ? "not there" : live) + ", must be " + timers));
        }
        return existing;
    }

    private void addContradiction(String name, String score, long timers, List<Contradiction> findings) {
        if (timers > 0 && score.isEmpty()) {
            findings.add(partition.contradiction("z" + name, "", "is not in the directory"));
        } else if (timers == 0 && !score.isEmpty()) {
            findings.add(partition.contradiction("i", name, "is a slice that is not there"));
        } else if (!score.isEmpty() && Double.parseDouble(score) != (double) Layout.sliceFromMs(name)) {
            findings.add(partition.contradiction(
                    "i", name, "has the score " + score + ", must have " + Layout.sliceFromMs(name)));
        }
    }
}
