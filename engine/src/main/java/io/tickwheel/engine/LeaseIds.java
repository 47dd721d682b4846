package io.tickwheel.engine;

import io.tickwheel.engine.lease.LeaseId;
import java.util.Optional;

/** What the id of a lease says, for those who may hand on some leases and not others. */
public final class LeaseIds {

    private LeaseIds() {}

    /** The queue of a lease; empty for what is no id of a lease. Whether the lease is held is not known by that. */
    public static Optional<String> queueOf(String id) {
        return Optional.ofNullable(LeaseId.read(id)).map(lease -> lease.key().queue());
    }
}
