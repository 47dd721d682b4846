package io.tickwheel.engine.neighbour;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.lease.LeaseId;
import io.tickwheel.engine.lease.Poll;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.engine.lease.PulledQueue;
import io.tickwheel.engine.post.Letter;
import io.tickwheel.engine.post.Post;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the polls of this node take from other nodes: asks these for what is due while a poll waits, and a while longer, and takes no more than the polls want. Owned by the loop.
 *
 * <pre>
 *   wanted -> ASK to all -> HAVE: an offer -> TAKE, while polls want more -> GIVE -> polls -> GOT
 * </pre>
 */
final class Borrowing {

    /** How long a poll that does not wait waits for what others say. */
    static final Duration ANSWER_LIMIT = Duration.ofMillis(250);

    /** How often others are asked anew. */
    static final Duration REFRESH = Duration.ofSeconds(20);

    /** When one is asked anew to whom something was lost: that has been heard of, and that has not. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private static final Duration AGAIN_LATER = Duration.ofSeconds(5);

    private static final int MOST_TAKES = 64;

    private final Post post;
    private final Alarms alarms;
    private final Polls polls;
    private final Map<String, Asked> asked = new HashMap<>();
    private final Map<Long, Take> takes = new HashMap<>();

    /** The queues of which there may be something to take. */
    private final Set<Asked> moved = new LinkedHashSet<>();

    private final Set<Long> missed = new HashSet<>();
    private final Again refresh = new Again(this::askAllAnew);
    private final Again again = new Again(this::askMissedAnew);

    /** Rings when a large one that has not come is not on its way any more; who has one tells so again soon. */
    private final Again afterLarge = new Again(() -> {});

    /** Whether a large one is being taken. */
    private boolean takesLarge;

    private final TakeLimits limits = new TakeLimits();

    /** When the last take was sent. */
    private long lastNanos = Long.MIN_VALUE;

    Borrowing(Post post, Alarms alarms, Polls polls) {
        this.post = post;
        this.alarms = alarms;
        this.polls = polls;
    }

    /** Something that is done again after a while. */
    private static final class Again extends Alarms.Alarm {

        private final Runnable step;

        Again(Runnable step) {
            this.step = step;
        }

        @Override
        public void ring() {
            step.run();
        }
    }

    /** A queue that others are asked for. Its alarm rings when no poll has waited for it for long. */
    private final class Asked extends Alarms.Alarm {

        PulledQueue queue;

        /** How many timers others have, as they said. */
        final Map<Long, Integer> offers = new LinkedHashMap<>();

        /** Those of the others of whom the next one is large. */
        final Set<Long> large = new HashSet<>();

        /** Who has not said anything yet. */
        final Set<Long> awaited = new HashSet<>();

        final Again patience = new Again(this::awaitNoMore);

        /** How long the leases last that are being taken. */
        Duration ttl = Duration.ZERO;

        int taking;

        Asked(PulledQueue queue) {
            this.queue = queue;
        }

        void await(long other) {
            awaited.add(other);
            queue.await(awaited.size());
        }

        void heard(long other) {
            awaited.remove(other);
            queue.await(awaited.size());
        }

        private void awaitNoMore() {
            awaited.clear();
            queue.await(0);
        }

        @Override
        public void ring() {
            stop(this);
        }
    }

    /** What one node was asked to give. Its alarm rings when that has not come. */
    private final class Take extends Alarms.Alarm {

        /** When it was sent, on the monotonic clock; no two have the same, so it is its number, too, and says of what comes late how late it is. */
        final long sentNanos;

        final long from;
        final Asked asked;
        final int count;
        final Duration ttl;
        final boolean isLarge;

        Take(long sentNanos, long from, Asked asked, int count, Duration ttl, boolean isLarge) {
            this.sentNanos = sentNanos;
            this.from = from;
            this.asked = asked;
            this.count = count;
            this.ttl = ttl;
            this.isLarge = isLarge;
        }

        @Override
        public void ring() {
            end(this);
            if (isLarge) {
                // It may be on its way all the same.
                alarms.set(afterLarge, Lending.CONFIRMED_LATER.plus(TakeLimits.SHORTEST));
            }
            asked.offers.remove(from);
        }
    }

    void wanted(PulledQueue queue) {
        Asked known = asked.get(queue.name);
        if (known == null) {
            known = new Asked(queue);
            asked.put(queue.name, known);
            for (long other : post.others()) {
                ask(known, other);
            }
            if (!refresh.isScheduled()) {
                alarms.set(refresh, REFRESH);
            }
        }
        known.queue = queue;
        queue.await(known.awaited.size());
        alarms.callOff(known);
        moved.add(known);
    }

    private void ask(Asked queue, long other) {
        queue.await(other);
        alarms.set(queue.patience, ANSWER_LIMIT);
        post.send(other, new Letter.Ask(queue.queue.name));
    }

    void unwanted(PulledQueue queue) {
        Asked known = asked.get(queue.name);
        if (known != null && known.taking == 0) {
            alarms.set(known, Polls.STAYS);
        }
    }

    private void stop(Asked queue) {
        if (queue.queue.firstOwn() != null || queue.taking > 0) {
            return;
        }
        asked.remove(queue.queue.name);
        moved.remove(queue);
        alarms.callOff(queue.patience);
        queue.awaitNoMore();
        for (long other : post.others()) {
            post.send(other, new Letter.Stop(queue.queue.name));
        }
        if (asked.isEmpty()) {
            alarms.callOff(refresh);
            alarms.callOff(again);
            missed.clear();
        }
    }

    // ---- others come, go, and are asked anew

    void come(long other) {
        asked.values().forEach(queue -> ask(queue, other));
    }

    void gone(long other) {
        missed.remove(other);
        limits.gone(other);
        for (Take take : List.copyOf(takes.values())) {
            if (take.from == other) {
                end(take);
            }
        }
        for (Asked queue : asked.values()) {
            queue.offers.remove(other);
            queue.large.remove(other);
            queue.heard(other);
        }
    }

    /** Mail to one of the others was lost. */
    void lost(long other) {
        asked.values().forEach(queue -> queue.heard(other));
        if (!asked.isEmpty() && post.others().contains(other) && missed.add(other) && !again.isScheduled()) {
            alarms.set(again, post.hasHeardOf(other) ? AGAIN : AGAIN_LATER);
        }
    }

    private void askMissedAnew() {
        for (long other : missed) {
            askAnew(other);
        }
        missed.clear();
    }

    private void askAllAnew() {
        for (long other : post.others()) {
            askAnew(other);
        }
        if (!asked.isEmpty()) {
            alarms.set(refresh, REFRESH);
        }
    }

    private void askAnew(long other) {
        asked.keySet().forEach(queue -> post.send(other, new Letter.Ask(queue)));
    }

    // ---- what they have

    void told(long from, Letter.Have letter) {
        Asked known = asked.get(letter.queue());
        if (known == null) {
            post.send(from, new Letter.Stop(letter.queue()));
            return;
        }
        known.heard(from);
        if (letter.count() > 0) {
            known.offers.put(from, letter.count());
            if (letter.isLarge()) {
                known.large.add(from);
            } else {
                known.large.remove(from);
            }
            moved.add(known);
        } else {
            known.offers.remove(from);
        }
    }

    /** Takes what polls want and others have. */
    void work() {
        moved.removeIf(this::takeAll);
    }

    /** Returns whether there is nothing more to take. */
    private boolean takeAll(Asked from) {
        Poll first = from.queue.firstOwn();
        if (first == null || from.offers.isEmpty()) {
            return true;
        }
        if (!polls.hasRoom()) {
            return false;
        }
        Duration ttl = first.request.ttl();
        if (from.taking > 0 && !from.ttl.equals(ttl)) {
            return true;
        }
        int left = Math.min(
                from.queue.unclaimed(), from.queue.ownWanted(ttl, from.taking + LeaseRequest.MOST) - from.taking);
        Iterator<Map.Entry<Long, Integer>> offers = from.offers.entrySet().iterator();
        while (left > 0 && offers.hasNext()) {
            if (takes.size() == MOST_TAKES) {
                return false;
            }
            Map.Entry<Long, Integer> offer = offers.next();
            boolean isLarge = from.large.contains(offer.getKey());
            if (isLarge && (takesLarge || afterLarge.isScheduled())) {
                continue;
            }
            int count = isLarge ? 1 : Math.min(left, Math.min(offer.getValue(), LeaseRequest.MOST));
            take(from, offer.getKey(), count, ttl, isLarge);
            left -= count;
            if (count == offer.getValue()) {
                offers.remove();
            } else {
                offer.setValue(offer.getValue() - count);
            }
        }
        return true;
    }

    private void take(Asked queue, long from, int count, Duration ttl, boolean isLarge) {
        Duration limit = limits.of(from, isLarge, ttl);
        lastNanos = Math.max(lastNanos + 1, alarms.monoNanos());
        Take take = new Take(lastNanos, from, queue, count, ttl, isLarge);
        takesLarge |= isLarge;
        takes.put(take.sentNanos, take);
        alarms.set(take, limit);
        queue.ttl = ttl;
        queue.taking += count;
        queue.queue.expect(count);
        post.send(from, new Letter.Take(take.sentNanos, queue.queue.name, count, ttl, limit, isLarge));
    }

    /** What a take stands for is not on its way any more. */
    private void end(Take take) {
        alarms.callOff(take);
        takes.remove(take.sentNanos);
        if (take.isLarge) {
            takesLarge = false;
            moved.addAll(asked.values());
        }
        Asked from = take.asked;
        from.taking -= take.count;
        from.queue.expectNoMore(take.count);
        moved.add(from);
        if (from.queue.firstOwn() == null) {
            unwanted(from.queue);
        }
    }

    void given(long from, Letter.Give letter) {
        Take take = takes.get(letter.number());
        // What brings nothing does not say how long leases take.
        boolean tells = (take == null || !take.isLarge) && !letter.leases().isEmpty();
        if (tells && post.others().contains(from)) {
            limits.came(from, alarms.monoNanos() - letter.number());
        }
        List<Lease> left = letter.leases();
        // What comes late is not given to a consumer: its holder takes it back soon, or has done so, while this node
        // stood still.
        if (take != null && take.from == from && alarms.isAhead(take)) {
            end(take);
            left = polls.lent(take.asked.queue, letter.leases(), take.ttl, take.sentNanos);
        }
        giveBack(from, left);
        if (!letter.leases().isEmpty()) {
            post.send(from, new Letter.Got(letter.number()));
        }
    }

    /** Gives back leases that no consumer has seen to those who have lent them. */
    void giveBack(List<Lease> leases) {
        Map<Long, List<Lease>> byHolder = new LinkedHashMap<>();
        for (Lease lease : leases) {
            LeaseId id = LeaseId.read(lease.id());
            if (id != null && id.holder() != post.self()) {
                byHolder.computeIfAbsent(id.holder(), first -> new ArrayList<>())
                        .add(lease);
            }
        }
        byHolder.forEach(this::giveBack);
    }

    private void giveBack(long to, List<Lease> leases) {
        if (!leases.isEmpty()) {
            post.send(to, new Letter.Back(leases.stream().map(Lease::id).toList()));
        }
    }
}
