package io.tickwheel.store.redis.query;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Values;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How far one partition is read for a page. The directory is read in pieces too, as far as it is needed.
 *
 * <p>A timer that is claimed, or whose claim ends, goes from a slice to those in flight or back while the page is made. So
 * what is in flight is read together with the slices, at one moment, and again with each further piece of them.
 */
final class ListPart {

    /** The bound when all is read. */
    static final double END = Double.POSITIVE_INFINITY;

    private static final double START = Double.NEGATIVE_INFINITY;
    private static final int MOST_WANTED = 256;
    private static final int LEAST_SETS = 4;
    private static final int MOST_SETS = 64;
    private static final int LEAST_SLICES = 32;

    final int partition;
    private final boolean slices;
    private final boolean claimed;
    private final long fromMs;
    private final long lastMs;
    private final Set<String> known = new HashSet<>();
    private final List<SetPosition> open = new ArrayList<>();
    private final int looks;
    private int wanted;
    private double bound;
    private double directoryBound;
    private String directoryFrom;
    private @Nullable SetPosition flight;
    private @Nullable List<SetPosition> asked;
    private int slicesAsked;
    private boolean flightAsked;

    /** Where one sorted set is read on. */
    private static final class SetPosition {

        final String set;
        byte[] score;
        byte[] member = new byte[0];
        double bound;

        SetPosition(String set, long fromMs) {
            this.set = set;
            this.score = Layout.bytes(Long.toString(fromMs));
            this.bound = (double) fromMs;
        }
    }

    /**
     * @param looks at how many members a piece looks at most
     * @param wanted of how many records the first piece is
     */
    ListPart(int partition, @Nullable TimerState state, long fromMs, long lastMs, int looks, int wanted) {
        this.partition = partition;
        this.slices = state == null || state == TimerState.PENDING;
        this.claimed = state == null || state == TimerState.CLAIMED;
        this.fromMs = fromMs;
        this.lastMs = lastMs;
        this.looks = looks;
        this.wanted = wanted;
        this.directoryBound = slices ? (double) fromMs : END;
        this.directoryFrom = Long.toString(Layout.lowestSliceFromMs(fromMs));
        this.flight = claimed ? flight() : null;
        if (state == null || state == TimerState.DEAD) {
            open.add(new SetPosition("x", fromMs));
        }
        this.bound = lowestBound();
    }

    private static SetPosition flight() {
        return new SetPosition("f", Long.MIN_VALUE);
    }

    boolean isAsked() {
        return asked != null;
    }

    /** Everything with a lower score was seen. */
    double bound() {
        return bound;
    }

    private double lowestBound() {
        double lowest = flight == null ? directoryBound : START;
        for (SetPosition each : open) {
            lowest = Math.min(lowest, each.bound);
        }
        return lowest;
    }

    void addWanted(List<byte[]> arguments) {
        arguments.add(Layout.bytes(Integer.toString(wanted)));
        arguments.add(Layout.bytes(Integer.toString(looks)));
    }

    /** Asks for a piece of everything that may have a score up to that, or the rest of what is in flight. Returns the sets. */
    List<String> ask(List<byte[]> arguments, double mostScore) {
        boolean flightGoesOn = flight != null && flight.member.length > 0;
        double threshold = flightGoesOn ? START : mostScore;
        int mostSets = Math.min(Math.max(wanted, LEAST_SETS), MOST_SETS);
        open.sort(Comparator.comparingDouble(each -> each.bound));
        List<SetPosition> sets = new ArrayList<>();
        for (SetPosition each : open) {
            // What is behind the directory's bound may be behind a slice that is not known yet.
            if (sets.size() < mostSets && each.bound <= Math.min(threshold, directoryBound)) {
                sets.add(each);
            }
        }
        boolean withDirectory = directoryBound <= threshold && sets.size() < mostSets;
        addDirectory(arguments, withDirectory, Math.max(mostSets, LEAST_SLICES));
        boolean withSlices = sets.stream().anyMatch(each -> each.set.charAt(0) == 'z');
        if (withSlices && claimed) {
            flight = flight();
        }
        flightAsked = flight != null;
        arguments.add(flight == null ? new byte[0] : flight.score);
        arguments.add(flight == null ? new byte[0] : flight.member);
        List<String> names = new ArrayList<>();
        for (SetPosition each : sets) {
            names.add(each.set);
            arguments.add(each.score);
            arguments.add(each.member);
            arguments.add(Layout.bytes(Long.toString(lastMs)));
        }
        asked = sets;
        return names;
    }

    private void addDirectory(List<byte[]> arguments, boolean withDirectory, int count) {
        slicesAsked = withDirectory ? count : 0;
        arguments.add(Layout.bytes(withDirectory ? directoryFrom : ""));
        arguments.add(Layout.bytes(Long.toString(lastMs)));
        arguments.add(Layout.bytes(Integer.toString(count)));
    }

    /** Takes the answer, and returns how many members were looked at for it. */
    int answered(List<?> reply, BiConsumer<byte[], byte[]> found) {
        List<SetPosition> sets = asked;
        if (sets == null) {
            throw new IllegalStateException("nothing was asked");
        }
        asked = null;
        Values lists = new Values(reply);
        int slicesKnown = known.size();
        readDirectory(new Values(lists.list()));
        int looked = known.size() - slicesKnown;
        Values inFlight = new Values(lists.list());
        if (flightAsked && flight != null) {
            looked += read(flight, inFlight, found);
            flight = flight.bound == END ? null : flight;
        }
        for (SetPosition each : sets) {
            looked += read(each, new Values(lists.list()), found);
        }
        open.removeIf(each -> each.bound == END);
        wanted = Math.min(2 * wanted, MOST_WANTED);
        bound = lowestBound();
        return looked;
    }

    private void readDirectory(Values in) {
        int count = 0;
        while (in.hasNext()) {
            String slice = in.text();
            String score = in.text();
            count++;
            directoryFrom = score;
            directoryBound = Math.max(directoryBound, Double.parseDouble(score));
            if (Layout.sliceLastMs(slice) >= fromMs && known.add(slice)) {
                open.add(new SetPosition("z" + slice, Math.max(fromMs, Layout.sliceFromMs(slice))));
            }
        }
        if (slicesAsked > 0 && count < slicesAsked) {
            directoryBound = END;
        }
    }

    private static int read(SetPosition position, Values in, BiConsumer<byte[], byte[]> found) {
        boolean ended = in.integer() == 1;
        position.score = in.bytes();
        position.member = in.bytes();
        position.bound = ended ? END : Math.max(position.bound, Layout.score(position.score));
        int looks = Math.toIntExact(in.integer());
        while (in.hasNext()) {
            found.accept(in.bytes(), in.bytes());
        }
        return looks;
    }
}
