package io.tickwheel.engine.neighbour;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.delivery.Deliveries;
import io.tickwheel.engine.due.DueLane;
import io.tickwheel.engine.due.PullDemand;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.lease.Leases;
import io.tickwheel.engine.lease.Poll;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.engine.post.Letter;
import io.tickwheel.engine.post.Post;
import io.tickwheel.store.Calendar;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node lends to polls of others: tells those who ask what is due here that no poll of this node wants, and has each take stand in the queue of the polls. Owned by the loop.
 */
final class Lending {

    private static final Logger LOG = LoggerFactory.getLogger(Lending.class);

    /** How long a lease that was given may be without a word of who was given it, beside the time that its take may be on its way. */
    static final Duration CONFIRMED_LATER = Duration.ofSeconds(2);

    /** When others are told again of what nobody has taken. */
    static final Duration TELL_AGAIN = Duration.ofSeconds(1);

    /** How long an ask counts that is not asked anew. */
    static final Duration ASK_LIMIT = Borrowing.REFRESH.multipliedBy(3);

    /** How long the takes of others wait for a node that does not say that what it was given has arrived: so that it comes in time what they take, too. */
    static final Duration SILENCE = Duration.ofMillis(300);

    private final Post post;
    private final Inbox inbox;
    private final Alarms alarms;
    private final Calendar calendar;
    private final Clock clock;
    private final Polls polls;
    private final Leases leases;
    private final Deliveries deliveries;
    private final Map<String, LentQueue> queues = new HashMap<>();
    private final Map<Gift, Given> given = new HashMap<>();

    /** The takes that stand in the queue of the polls, but for those of nodes that have died since. */
    private final Set<LendingRoom.Taker> served = new HashSet<>();

    /** How many of those who ask have not been answered. */
    private int owed;

    private final LendingRoom room = new LendingRoom();

    Lending(
            Post post,
            Inbox inbox,
            Alarms alarms,
            Calendar calendar,
            Clock clock,
            Polls polls,
            Leases leases,
            Deliveries deliveries) {
        this.post = post;
        this.inbox = inbox;
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

        /** How much content the timer had that was the next one when they were told. */
        int nextBytes;

        /** Whether what is given next may be large: it may be claimed already, and then it is not what is the next one by now. */
        boolean nextIsLarge;

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

    /** Leases of which it is not known whether they have arrived. Its alarm rings when that has been so for a while, and again when they are to be taken back. */
    private final class Given extends Alarms.Alarm {

        final Gift gift;
        final List<String> ids;
        final long contentBytes;
        private final Duration ttl;
        private final Duration confirmed;
        private final long sinceNanos = clock.monoNanos();
        boolean isSilent;

        Given(Gift gift, List<String> ids, long contentBytes, Letter.Take asked) {
            this.gift = gift;
            this.ids = ids;
            this.contentBytes = contentBytes;
            this.ttl = asked.ttl();
            this.confirmed = asked.limit().plus(CONFIRMED_LATER);
        }

        @Override
        public void ring() {
            if (isSilent) {
                takeBack();
            } else {
                isSilent = true;
                room.fallSilent(contentBytes);
                alarms.set(this, untilTakenBack());
                serve();
            }
        }

        /** Before they expire, as that would be an attempt. Where this node has stood still, what says that they have arrived may wait to be read. */
        private Duration untilTakenBack() {
            Duration passed = Duration.ofNanos(clock.monoNanos() - sinceNanos);
            Duration left = ttl.minusMillis(1).minus(passed);
            Duration unconfirmed = confirmed.minus(passed);
            Duration waits = unconfirmed.compareTo(SILENCE) > 0 ? unconfirmed : SILENCE;
            return left.compareTo(waits) < 0 ? left : waits;
        }

        void takeBack() {
            ids.forEach(leases::takeBack);
            settle(this);
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
        room.gone(other);
        served.removeIf(taker -> taker.from() == other);
        for (Given each : List.copyOf(given.values())) {
            if (each.gift.to == other) {
                each.takeBack();
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
                    post.send(asker.node, new Letter.Have(name, 0, false));
                }
            }));
        }
    }

    private static boolean mayStart(DueLane lane, long nowMs, long nowNanos) {
        PullDemand pulled = lane.pulled();
        if (pulled == null || pulled.wantsMore() || lane.credits.gate().isPaused()) {
            return false;
        }
        // What is claimed already may be late for the take that it was claimed for: the next one is to get it.
        return pulled.unwantedClaims() > 0
                || ((lane.hasFresh() || lane.hasBacklog())
                        && pulled.hasRoomFor(lane.nextBytes())
                        && lane.isAdmitted(nowMs, nowNanos));
    }

    private void tell(LentQueue queue, DueLane lane) {
        PullDemand pulled = lane.pulled();
        int claimed = pulled == null ? 0 : pulled.unwantedClaims();
        int count = 0;
        queue.nextBytes = lane.nextBytes();
        room.lentBy(post.others().size());
        queue.nextIsLarge |= room.isLarge(queue.nextBytes);
        for (Asker asker : queue.askers.values()) {
            if (!asker.isTold) {
                count = Math.min(claimed + lane.waiting(), LeaseRequest.MOST);
                asker.isTold = true;
                answered(asker);
                post.send(asker.node, new Letter.Have(asker.queue, count, queue.nextIsLarge));
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
        LentQueue queue = queues.get(letter.queue());
        Asker asker = queue == null ? null : queue.askers.remove(from);
        if (queue != null && asker != null) {
            asker.isTold = false;
            queue.askers.put(from, asker);
        }
        long nextBytes = queue == null ? 0 : queue.nextBytes;
        room.lentBy(post.others().size());
        long expectedBytes = Math.min(letter.count() * nextBytes, room.enoughBytes() + nextBytes);
        // No longer than half of what it has: the one who asks forgets it soon.
        long untilNanos = clock.monoNanos() + letter.limit().toNanos() / 2;
        room.add(new LendingRoom.Taker(from, letter, expectedBytes, untilNanos));
        serve();
    }

    /** Serves takes while not much is on its way. */
    private void serve() {
        long nowNanos = clock.monoNanos();
        for (LendingRoom.Taker next = room.next(nowNanos); next != null; next = room.next(nowNanos)) {
            LendingRoom.Taker taker = next;
            Letter.Take asked = taker.letter();
            LeaseRequest request = new LeaseRequest(asked.queue(), asked.count(), Duration.ZERO, asked.ttl());
            served.add(taker);
            polls.add(new Poll(request, room.enoughBytes(), leased -> answer(taker, leased)));
        }
    }

    private void answer(LendingRoom.Taker taker, List<Lease> leased) {
        room.free(taker.from(), taker.expectedBytes());
        if (served.remove(taker)) {
            give(taker, leased);
        } else {
            leased.forEach(lease -> leases.takeBack(lease.id()));
        }
        if (room.hasTakers()) {
            inbox.note(this::serve);
        }
    }

    private void give(LendingRoom.Taker taker, List<Lease> leased) {
        Letter.Take asked = taker.letter();
        int count = 0;
        long bytes = 0;
        while (count < leased.size()) {
            long more = Letter.Give.bytes(leased.get(count));
            if (!room.hasRoom(taker.from(), bytes + more, asked.mayBeLarge())) {
                break;
            }
            bytes += more;
            count++;
        }
        List<Lease> fitting = List.copyOf(leased.subList(0, count));
        LentQueue queue = queues.get(asked.queue());
        if (queue != null && !leased.isEmpty()) {
            queue.nextIsLarge = count == 0;
            if (count == 0) {
                refuseTooLarge(queue, leased.get(0));
            }
        }
        given(
                new Gift(taker.from(), asked.number()),
                fitting.stream().map(Lease::id).toList(),
                bytes,
                asked);
        leased.subList(count, leased.size()).forEach(lease -> leases.takeBack(lease.id()));
        post.send(taker.from(), new Letter.Give(asked.number(), fitting));
    }

    private void refuseTooLarge(LentQueue queue, Lease first) {
        long bytes = Letter.Give.bytes(first);
        if (bytes > LendingRoom.LARGEST) {
            // Not told at once: it would be claimed in vain again.
            queue.askers.values().forEach(asker -> asker.isTold = true);
            alarms.set(queue, TELL_AGAIN);
            LOG.warn(
                    "{} is not lent to other nodes: its lease has {} bytes, can have at most {}; a poll of this node gets it",
                    first.attempt().timer(),
                    bytes,
                    LendingRoom.LARGEST);
        }
    }

    private void given(Gift gift, List<String> ids, long contentBytes, Letter.Take asked) {
        if (!ids.isEmpty()) {
            Given each = new Given(gift, ids, contentBytes, asked);
            given.put(gift, each);
            room.take(gift.to, contentBytes);
            alarms.set(each, SILENCE);
        }
    }

    void confirmed(long from, long number) {
        Given known = given.get(new Gift(from, number));
        if (known != null) {
            settle(known);
        }
    }

    /** What was given is not on its way any more. */
    private void settle(Given known) {
        alarms.callOff(known);
        given.remove(known.gift);
        if (known.isSilent) {
            room.endSilence(known.gift.to, known.contentBytes);
        } else {
            room.free(known.gift.to, known.contentBytes);
        }
        serve();
    }

    void cameBack(List<String> ids) {
        ids.forEach(leases::takeBack);
    }
}
