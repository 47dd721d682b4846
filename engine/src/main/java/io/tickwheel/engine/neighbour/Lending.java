package io.tickwheel.engine.neighbour;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.delivery.Deliveries;
import io.tickwheel.engine.due.DueLane;
import io.tickwheel.engine.due.PullDemand;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.lease.Leases;
import io.tickwheel.engine.lease.Poll;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.engine.post.Letter;
import io.tickwheel.engine.post.Post;
import io.tickwheel.store.Calendar;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What this node lends to polls of others: tells those who ask what is due here that no poll of this node wants, and has each take stand in the queue of the polls. Owned by the loop.
 */
final class Lending {

    /** How long a lease that was given may be without a word of who was given it. */
    static final Duration CONFIRM_LIMIT = Duration.ofSeconds(3);

    /** When others are told again of what nobody has taken. */
    static final Duration TELL_AGAIN = Duration.ofSeconds(1);

    /** How long an ask counts that is not asked anew. */
    static final Duration ASK_LIMIT = Borrowing.REFRESH.multipliedBy(3);

    private final Post post;
    private final Alarms alarms;
    private final Calendar calendar;
    private final Clock clock;
    private final Polls polls;
    private final Leases leases;
    private final Deliveries deliveries;
    private final Map<String, LentQueue> queues = new HashMap<>();
    private final Map<Gift, Given> given = new HashMap<>();

    /** How many of those who ask have not been answered. */
    private int owed;

    Lending(
            Post post,
            Alarms alarms,
            Calendar calendar,
            Clock clock,
            Polls polls,
            Leases leases,
            Deliveries deliveries) {
        this.post = post;
        this.alarms = alarms;
        this.calendar = calendar;
        this.clock = clock;
        this.polls = polls;
        this.leases = leases;
        this.deliveries = deliveries;
    }

    /** A queue that others ask for. Its alarm rings when they are to be told again. */
    private static final class LentQueue extends Alarms.Alarm {

        /** In the order in which they are told: who has taken comes last. */
        final Map<Long, Asker> askers = new LinkedHashMap<>();

        @Override
        public void ring() {
            askers.values().forEach(asker -> asker.isTold = false);
        }
    }

    /** One of those who ask for a queue. Its alarm rings when it has not asked anew for long. */
    private final class Asker extends Alarms.Alarm {

        final String queue;
        final long node;

        /** Whether it knows that there is something. */
        boolean isTold;

        /** Whether it waits for an answer. */
        boolean isOwed;

        Asker(String queue, long node) {
            this.queue = queue;
            this.node = node;
        }

        @Override
        public void ring() {
            stopped(node, queue);
        }
    }

    /** What was given to whom. */
    private record Gift(long to, long number) {}

    /** Leases of which it is not known whether they have arrived. */
    private final class Given extends Alarms.Alarm {

        final Gift gift;
        final List<String> ids;

        Given(Gift gift, List<String> ids) {
            this.gift = gift;
            this.ids = ids;
        }

        @Override
        public void ring() {
            given.remove(gift);
            ids.forEach(leases::takeBack);
        }
    }

    // ---- who asks

    void asked(long from, String name) {
        LentQueue queue = queues.computeIfAbsent(name, first -> new LentQueue());
        Asker asker = queue.askers.computeIfAbsent(from, first -> new Asker(name, from));
        asker.isTold = false;
        if (!asker.isOwed) {
            asker.isOwed = true;
            owed++;
        }
        alarms.set(asker, ASK_LIMIT);
        polls.lend(name);
    }

    void stopped(long from, String name) {
        LentQueue queue = queues.get(name);
        Asker asker = queue == null ? null : queue.askers.remove(from);
        if (queue == null || asker == null) {
            return;
        }
        alarms.callOff(asker);
        answered(asker);
        if (queue.askers.isEmpty()) {
            alarms.callOff(queue);
            queues.remove(name);
            polls.lendNoMore(name);
        }
    }

    /** Does nothing more for one that is no longer alive, and takes back what it has not confirmed. */
    void gone(long other) {
        List.copyOf(queues.keySet()).forEach(name -> stopped(other, name));
        for (Given each : List.copyOf(given.values())) {
            if (each.gift.to == other) {
                alarms.callOff(each);
                each.ring();
            }
        }
    }

    // ---- what is due here

    /** Tells others what there is for them. */
    void work(long nowMs) {
        if (queues.isEmpty()) {
            return;
        }
        long nowNanos = clock.monoNanos();
        for (DueLane lane : deliveries.lanes()) {
            LentQueue queue = queues.get(lane.lane.queue());
            if (queue != null && mayStart(lane, nowMs, nowNanos)) {
                tell(queue, lane);
            }
        }
        if (owed > 0 && calendar.loadedTo() > nowMs) {
            queues.forEach((name, queue) -> queue.askers.values().forEach(asker -> {
                if (asker.isOwed) {
                    answered(asker);
                    post.send(asker.node, new Letter.Have(name, 0));
                }
            }));
        }
    }

    private static boolean mayStart(DueLane lane, long nowMs, long nowNanos) {
        PullDemand pulled = lane.pulled();
        return pulled != null
                && !pulled.wantsMore()
                && (lane.hasFresh() || lane.hasBacklog())
                && !lane.credits.gate().isPaused()
                && lane.isAdmitted(nowMs, nowNanos);
    }

    private void tell(LentQueue queue, DueLane lane) {
        int count = 0;
        for (Asker asker : queue.askers.values()) {
            if (!asker.isTold) {
                count = Math.min(lane.waiting(), LeaseRequest.MOST);
                asker.isTold = true;
                answered(asker);
                post.send(asker.node, new Letter.Have(asker.queue, count));
            }
        }
        if (count > 0) {
            alarms.set(queue, TELL_AGAIN);
        }
    }

    private void answered(Asker asker) {
        if (asker.isOwed) {
            asker.isOwed = false;
            owed--;
        }
    }

    // ---- what is taken

    void taken(long from, Letter.Take letter) {
        LeaseRequest request = new LeaseRequest(letter.queue(), letter.count(), Duration.ZERO, letter.ttl());
        LentQueue queue = queues.get(letter.queue());
        Asker asker = queue == null ? null : queue.askers.remove(from);
        if (queue != null && asker != null) {
            asker.isTold = false;
            queue.askers.put(from, asker);
        }
        polls.add(new Poll(request, leased -> give(from, letter, leased)));
    }

    private void give(long to, Letter.Take asked, List<Lease> leased) {
        post.send(to, new Letter.Give(asked.number(), leased));
        if (!leased.isEmpty()) {
            List<String> ids = new ArrayList<>(leased.size());
            leased.forEach(lease -> ids.add(lease.id()));
            Given gift = new Given(new Gift(to, asked.number()), ids);
            given.put(gift.gift, gift);
            // Before it expires, as that would be an attempt.
            Duration atMost = asked.ttl().minusMillis(1);
            alarms.set(gift, atMost.compareTo(CONFIRM_LIMIT) < 0 ? atMost : CONFIRM_LIMIT);
        }
    }

    void confirmed(long from, long number) {
        Given known = given.remove(new Gift(from, number));
        if (known != null) {
            alarms.callOff(known);
        }
    }

    void cameBack(List<String> ids) {
        ids.forEach(leases::takeBack);
    }
}
