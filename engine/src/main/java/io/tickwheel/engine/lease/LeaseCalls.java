package io.tickwheel.engine.lease;

import io.tickwheel.engine.inbox.Answers;
import io.tickwheel.engine.post.Letter;
import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What consumers ask of leases: done here, or by the node that holds the lease. Owned by the loop. */
public final class LeaseCalls {

    private final Leases leases;
    private final LeaseOwners owners;

    public LeaseCalls(Leases leases, LeaseOwners owners) {
        this.leases = leases;
        this.owners = owners;
    }

    public void acknowledge(String id, Answer<Boolean> answer) {
        if (!forward(id, Letter.Wish.ACKNOWLEDGE, null, "", done(answer))) {
            leases.acknowledge(id, answer);
        }
    }

    /**
     * Ends a lease as an attempt that has failed.
     *
     * @param delay until the next attempt; null for that of the retry policy
     */
    public void nack(String id, @Nullable Duration delay, String reason, Answer<Boolean> answer) {
        if (!forward(id, Letter.Wish.NACK, delay, reason, done(answer))) {
            leases.nack(id, delay, reason, answer);
        }
    }

    public void bury(String id, String reason, Answer<Boolean> answer) {
        if (!forward(id, Letter.Wish.BURY, null, reason, done(answer))) {
            leases.bury(id, reason, answer);
        }
    }

    public void extend(String id, Duration ttl, Answer<Instant> answer) {
        if (!forward(id, Letter.Wish.EXTEND, ttl, "", answer)) {
            leases.extend(id, ttl, answer);
        }
    }

    /** Has a timer be tried again at another time; no attempt counts. */
    void postpone(String id, Instant until, String reason) {
        Duration sinceEpoch = Duration.between(Instant.EPOCH, until);
        if (!forward(id, Letter.Wish.POSTPONE, sinceEpoch, reason, Answers.ignored())) {
            leases.postpone(id, until, reason);
        }
    }

    private boolean forward(
            String id, Letter.Wish wish, @Nullable Duration time, String reason, Answer<Instant> answer) {
        LeaseId lease = LeaseId.read(id);
        if (lease == null || !owners.areAlive(lease.holder())) {
            return false;
        }
        owners.ask(lease, wish, time, reason, answer);
        return true;
    }

    private static Answer<Instant> done(Answer<Boolean> answer) {
        return new Answer<>() {
            @Override
            public void accept(Instant ended) {
                answer.accept(true);
            }

            @Override
            public void fail(StoreException reason) {
                answer.fail(reason);
            }
        };
    }
}
