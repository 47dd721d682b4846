package io.tickwheel.engine.neighbour;

import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.attempt.Reasons;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.lease.LeaseId;
import io.tickwheel.engine.lease.LeaseOwners;
import io.tickwheel.engine.lease.Leases;
import io.tickwheel.engine.post.Letter;
import io.tickwheel.engine.post.Post;
import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What consumers ask this node of leases that others hold, and others of leases that this one holds. Each question has an answer within {@link #PATIENCE}. Owned by the loop. */
final class LeaseForwarding implements LeaseOwners {

    static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Post post;
    private final Alarms alarms;
    private final Leases leases;
    private final Map<Long, Asked> asked = new HashMap<>();
    private long numbers;

    LeaseForwarding(Post post, Alarms alarms, Leases leases) {
        this.post = post;
        this.alarms = alarms;
        this.leases = leases;
    }

    /** A question that has no answer yet. */
    private final class Asked extends Alarms.Alarm {

        final long number;
        final LeaseId lease;
        final Answer<Instant> answer;

        Asked(long number, LeaseId lease, Answer<Instant> answer) {
            this.number = number;
            this.lease = lease;
            this.answer = answer;
        }

        @Override
        public void ring() {
            giveUp(this, "has not answered in " + PATIENCE.toSeconds() + " s");
        }
    }

    @Override
    public boolean areAlive(long holder) {
        return holder != post.self() && post.others().contains(holder);
    }

    @Override
    public void ask(LeaseId lease, Letter.Wish wish, @Nullable Duration time, String reason, Answer<Instant> answer) {
        Asked question = new Asked(++numbers, lease, answer);
        asked.put(question.number, question);
        alarms.set(question, PATIENCE);
        post.send(lease.holder(), new Letter.End(question.number, lease.toString(), wish, time, Reasons.cut(reason)));
    }

    void answered(long from, Letter.Ended letter) {
        Asked question = asked.get(letter.number());
        if (question == null || question.lease.holder() != from) {
            return;
        }
        asked.remove(question.number);
        alarms.callOff(question);
        switch (letter.fate()) {
            case DONE -> question.answer.accept(letter.expiresAt());
            case GONE -> question.answer.fail(new LeaseGoneException(letter.why()));
            case FAILED -> question.answer.fail(new StoreUnavailableException(letter.why(), true));
        }
    }

    /** Gives up what was asked of one that is no longer alive. */
    void gone(long other) {
        for (Asked question : List.copyOf(asked.values())) {
            if (question.lease.holder() == other) {
                giveUp(question, "is not alive any more");
            }
        }
    }

    @Override
    public boolean isQuiet() {
        return asked.isEmpty();
    }

    @Override
    public void giveUp() {
        List.copyOf(asked.values()).forEach(question -> giveUp(question, "has not answered before this one ended"));
    }

    private void giveUp(Asked question, String why) {
        asked.remove(question.number);
        alarms.callOff(question);
        question.answer.fail(new StoreUnavailableException(
                "the node that holds lease " + question.lease + " " + why + ", so the outcome is not known", true));
    }

    /** Does what a consumer of another node asks. */
    void asked(long from, Letter.End letter) {
        Reply reply = new Reply(from, letter.number());
        switch (letter.wish()) {
            case ACKNOWLEDGE -> leases.acknowledge(letter.lease(), reply.done());
            case NACK -> leases.nack(letter.lease(), letter.time(), letter.reason(), reply.done());
            case BURY -> leases.bury(letter.lease(), letter.reason(), reply.done());
            case POSTPONE -> {
                leases.postpone(
                        letter.lease(), Instant.EPOCH.plus(Objects.requireNonNull(letter.time())), letter.reason());
                reply.accept(Instant.EPOCH);
            }
            case EXTEND -> leases.extend(letter.lease(), Objects.requireNonNull(letter.time()), reply);
        }
    }

    private final class Reply implements Answer<Instant> {

        private final long to;
        private final long number;

        Reply(long to, long number) {
            this.to = to;
            this.number = number;
        }

        Answer<Boolean> done() {
            return new Answer<>() {
                @Override
                public void accept(Boolean ended) {
                    Reply.this.accept(Instant.EPOCH);
                }

                @Override
                public void fail(StoreException reason) {
                    Reply.this.fail(reason);
                }
            };
        }

        @Override
        public void accept(Instant expiresAt) {
            post.send(to, new Letter.Ended(number, Letter.Fate.DONE, expiresAt, ""));
        }

        @Override
        public void fail(StoreException reason) {
            Letter.Fate fate = reason instanceof LeaseGoneException ? Letter.Fate.GONE : Letter.Fate.FAILED;
            post.send(to, new Letter.Ended(number, fate, Instant.EPOCH, String.valueOf(reason.getMessage())));
        }
    }
}
