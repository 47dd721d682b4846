package io.tickwheel.store.redis.query;

import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes one page of a list: the first timers of all partitions, in the order of the attempts' times and numbers.
 *
 * <p>Each partition has a bound: everything due before it was seen. The partition with the lowest bound is asked next, for
 * a small piece at first and twice as much each time, until there is a full page and all bounds are behind its last
 * timer. Or until too many timers were looked at: then the page ends at the lowest bound.
 *
 * <pre>
 *   limit 3            due 10   20   30   40
 *   partition 0            a    b    |            bound 25
 *   partition 1                 c         d   |   bound 45
 *   partition 2                 |                 bound 20: may have one that is older than b or c, so it is asked
 * </pre>
 *
 * Within one millisecond a partition is not in the order of numbers, so all timers of the last millisecond of a page are
 * looked at, however many they are; the scripts give only those that have their place on the page.
 */
final class TimerListing extends Query {

    /** So many members, slices and calls a page may cost, and so many more for each partition. */
    private static final int MOST_LOOKS = 20_000;

    private static final int MOST_LOOKS_OF_PARTITION = 64;

    /**
     * So many members a call may look at, and so many more divided by the number of partitions: few enough that a page gets a
     * piece of every partition, else it would end where it began, and not more than these.
     */
    private static final int LOOKS_A_CALL = 64;

    private static final int MORE_LOOKS_A_CALL = 5_000;
    private static final int MOST_LOOKS_A_CALL = 500;

    /** What a call costs, in members. */
    private static final int CALL_LOOKS = 8;

    private final Layout layout;
    private final TimerQuery query;
    private final Answer<TimerPage> answer;
    private final byte[] fieldPrefix;
    private final long fromMs;
    private final long lastMs;
    private final List<ListPart> parts = new ArrayList<>();
    private final TreeMap<Place, TimerView> found = new TreeMap<>();
    private final Map<TimerKey, Place> places = new HashMap<>();
    private boolean overfull;
    private int looksLeft;

    private record Place(long dueAtMs, long number) implements Comparable<Place> {

        @Override
        public int compareTo(Place other) {
            int byDue = Long.compare(dueAtMs, other.dueAtMs);
            return byDue != 0 ? byDue : Long.compare(number, other.number);
        }
    }

    TimerListing(Asker asker, Layout layout, TimerQuery query, Answer<TimerPage> answer) {
        super(asker);
        this.layout = layout;
        this.query = query;
        this.answer = answer;
        this.fieldPrefix = Layout.bytes(query.queue() + '\0' + query.keyPrefix());
        TimerCursor after = query.after();
        long afterMs = Long.MIN_VALUE;
        if (after != null) {
            boolean behindAll = after.seq() == Long.MAX_VALUE && after.dueAtMs() < Long.MAX_VALUE;
            afterMs = behindAll ? after.dueAtMs() + 1 : after.dueAtMs();
        }
        this.fromMs = Math.max(query.dueFromMs(), afterMs);
        this.lastMs = query.dueToMs() == Long.MAX_VALUE ? Long.MAX_VALUE : query.dueToMs() - 1;
        this.looksLeft = MOST_LOOKS + MOST_LOOKS_OF_PARTITION * layout.partitions;
        // The lowest number of all has none before it.
        boolean nothing = query.dueToMs() == Long.MIN_VALUE || fromMs > lastMs;
        int looks = Math.min(LOOKS_A_CALL + MORE_LOOKS_A_CALL / layout.partitions, MOST_LOOKS_A_CALL);
        int wanted = 2 + 2 * query.limit() / layout.partitions;
        for (int p = 0; p < layout.partitions && !nothing; p++) {
            parts.add(new ListPart(p, query.state(), fromMs, lastMs, looks, wanted));
        }
    }

    @Override
    boolean askNext() {
        ListPart next = null;
        double bound = threshold();
        for (ListPart part : parts) {
            if (!part.isAsked() && part.bound() <= bound) {
                next = part;
                bound = part.bound();
            }
        }
        // What is in flight, and the millisecond in which the page begins, must be read to its end: else there is no
        // next one.
        if (next == null || (looksLeft <= 0 && bound > (double) fromMs)) {
            return false;
        }
        looksLeft -= CALL_LOOKS;
        ListPart asked = next;
        TimerCursor after = query.after();
        Place first = after == null ? null : new Place(after.dueAtMs(), after.seq());
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(fieldPrefix);
        asked.addWanted(arguments);
        addPlace(arguments, first);
        addPlace(arguments, isFull() ? found.lastKey() : null);
        List<String> sets = asked.ask(arguments, threshold());
        ask(ReadScript.call(layout, asked.partition, arguments, sets, reply -> read(asked, reply)));
        return true;
    }

    private static void addPlace(List<byte[]> arguments, @Nullable Place place) {
        arguments.add(
                place == null
                        ? new byte[0]
                        : ByteBuffer.allocate(Long.BYTES).putLong(place.dueAtMs).array());
        arguments.add(Layout.bytes(place == null ? "0" : Long.toString(Layout.seq(place.number))));
    }

    private void read(ListPart part, List<?> reply) {
        looksLeft -= part.answered(reply, (field, header) -> found(part.partition, field, header));
    }

    private void found(int partition, byte[] field, byte[] header) {
        TimerKey key = Layout.timerKey(field);
        TimerRecord record;
        try {
            record = TimerRecord.read(ByteBuffer.wrap(header));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the record of " + key + " in partition " + partition, e);
        }
        Place place = new Place(record.attemptAtMs(), Layout.number(record.seq(), partition));
        TimerView view = record.view(key, partition);
        if (isListed(record, place)) {
            // One that went from one set to another between two looks has its first place: nothing on a page moves
            // back.
            Place known = places.putIfAbsent(key, place);
            if (known == null || known.equals(place)) {
                found.put(place, view);
                trim();
            }
        }
    }

    private void trim() {
        if (found.size() > query.limit()) {
            places.remove(found.pollLastEntry().getValue().key());
            overfull = true;
        }
    }

    private boolean isListed(TimerRecord timer, Place place) {
        TimerCursor after = query.after();
        boolean stands = timer.isLive() || timer.state() == TimerState.DEAD;
        return stands
                && (query.state() == null || timer.state() == query.state())
                && timer.attemptAtMs() >= fromMs
                && timer.attemptAtMs() <= lastMs
                && (after == null || place.compareTo(new Place(after.dueAtMs(), after.seq())) > 0);
    }

    private boolean isFull() {
        return found.size() == query.limit();
    }

    /** What has a bound up to this can have a timer for this page. */
    private double threshold() {
        return isFull() ? (double) found.lastKey().dueAtMs : Double.MAX_VALUE;
    }

    @Override
    void finish() {
        double bound = ListPart.END;
        for (ListPart part : parts) {
            bound = Math.min(bound, part.bound());
        }
        List<TimerView> timers = new ArrayList<>();
        Place last = null;
        for (Map.Entry<Place, TimerView> each : found.entrySet()) {
            if ((double) each.getKey().dueAtMs < bound) {
                timers.add(each.getValue());
                last = each.getKey();
            }
        }
        answer.accept(new TimerPage(timers, next(bound, last, timers.size() == query.limit())));
    }

    private @Nullable TimerCursor next(double bound, @Nullable Place last, boolean full) {
        if (full && last != null) {
            return bound == ListPart.END && !overfull ? null : new TimerCursor(last.dueAtMs, last.number);
        }
        return bound == ListPart.END ? null : new TimerCursor(lastBefore(bound), Long.MAX_VALUE);
    }

    /** The last due time that as a score is below that one: scores of more than 53 bits are rounded. */
    private static long lastBefore(double bound) {
        long due = (long) Math.floor(Math.nextDown(bound));
        while ((double) (due + 1) < bound) {
            due++;
        }
        return due;
    }

    @Override
    void fail(StoreException failure) {
        answer.fail(failure);
    }
}
