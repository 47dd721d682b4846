package io.tickwheel.engine.neighbour;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.delivery.Deliveries;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.lease.LeaseOwners;
import io.tickwheel.engine.lease.Leases;
import io.tickwheel.engine.lease.Lenders;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.engine.lease.PulledQueue;
import io.tickwheel.engine.post.Letter;
import io.tickwheel.engine.post.Post;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.NodeMail;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The engines of the nodes that share a calendar: reads what they write, and notices who comes and goes. Owned by the loop. */
public final class Neighbours implements Lenders, Letter.Reader {

    private final Post post;
    private final Borrowing borrowing;
    private final Lending lending;
    private final LeaseForwarding forwarding;
    private List<Long> known = List.of();

    /** Those of a calendar; null when it has one node. */
    public static @Nullable Neighbours of(
            Calendar calendar,
            Inbox inbox,
            Clock clock,
            Alarms alarms,
            Polls polls,
            Leases leases,
            Deliveries deliveries) {
        NodeMail mail = calendar.mail();
        return mail == null ? null : new Neighbours(mail, inbox, calendar, clock, alarms, polls, leases, deliveries);
    }

    private Neighbours(
            NodeMail mail,
            Inbox inbox,
            Calendar calendar,
            Clock clock,
            Alarms alarms,
            Polls polls,
            Leases leases,
            Deliveries deliveries) {
        this.post = new Post(mail, inbox, this, this::lost);
        this.borrowing = new Borrowing(post, alarms, polls);
        this.lending = new Lending(post, inbox, alarms, calendar, clock, polls, leases, deliveries);
        this.forwarding = new LeaseForwarding(post, alarms, leases);
    }

    /** Who is asked about leases that others hold. */
    public LeaseOwners owners() {
        return forwarding;
    }

    // ---- of the polls

    @Override
    public void wanted(PulledQueue queue) {
        borrowing.wanted(queue);
    }

    @Override
    public void unwanted(PulledQueue queue) {
        borrowing.unwanted(queue);
    }

    @Override
    public void giveBack(List<Lease> leases) {
        borrowing.giveBack(leases);
    }

    @Override
    public void work(long nowMs) {
        List<Long> alive = post.others();
        if (alive != known) {
            List<Long> before = known;
            known = alive;
            before.stream().filter(other -> !alive.contains(other)).forEach(this::gone);
            alive.stream().filter(other -> !before.contains(other)).forEach(borrowing::come);
        }
        lending.work(nowMs);
        borrowing.work();
    }

    private void gone(long other) {
        borrowing.gone(other);
        lending.gone(other);
        forwarding.gone(other);
        post.forget(other);
    }

    private void lost(long other) {
        borrowing.lost(other);
    }

    @Override
    public void send() {
        post.flush();
    }

    // ---- of the others

    @Override
    public void take(long from, Letter.Ask letter) {
        lending.asked(from, letter.queue());
    }

    @Override
    public void take(long from, Letter.Stop letter) {
        lending.stopped(from, letter.queue());
    }

    @Override
    public void take(long from, Letter.Have letter) {
        borrowing.told(from, letter);
    }

    @Override
    public void take(long from, Letter.Take letter) {
        lending.taken(from, letter);
    }

    @Override
    public void take(long from, Letter.Give letter) {
        borrowing.given(from, letter);
    }

    @Override
    public void take(long from, Letter.Got letter) {
        lending.confirmed(from, letter.number());
    }

    @Override
    public void take(long from, Letter.Back letter) {
        lending.cameBack(letter.leases());
    }

    @Override
    public void take(long from, Letter.End letter) {
        forwarding.asked(from, letter);
    }

    @Override
    public void take(long from, Letter.Ended letter) {
        forwarding.answered(from, letter);
    }
}
