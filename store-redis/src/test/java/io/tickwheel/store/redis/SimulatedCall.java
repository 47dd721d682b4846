package io.tickwheel.store.redis;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.link.Call;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call on its way over a {@link SimulatedLink}, and what became of it. */
final class SimulatedCall {

    final SimulatedLink link;
    final Call call;
    final SimulatedMaster master;
    final boolean isDurable;
    final long bornNanos;

    /** The connection that it went over. */
    long connection;

    /** What it was executed as in the order of all that happened; 0 before. */
    int seq;

    /** Executed by a server that said this. */
    @Nullable
    Object value;

    boolean isExecuted;

    /** How much of the journal a replica must have so that it is as durable as it is to be. */
    int position;

    /** Until when replicas are waited for. */
    long waitNanos;

    /** It has a reply, which is delivered or waits to be. */
    boolean isSettled;

    /** It was carried out by a master whose place another one has. */
    boolean isAstray;

    /** It is carried out though nobody waits for it any more, and behind later ones perhaps. */
    boolean isLate;

    /** What stood under the keys of its partitions just behind it. */
    Map<String, SimulatedTimer> after = Map.of();

    SimulatedCall(SimulatedLink link, Call call, SimulatedMaster master, long bornNanos) {
        this.link = link;
        this.call = call;
        this.master = master;
        this.isDurable = !call.level.equals(Durability.MEMORY);
        this.bornNanos = bornNanos;
    }

    String name() {
        return call.script == null ? call.command : call.script.name();
    }

    @Override
    public String toString() {
        return link.node + "/" + call.slot + " " + name() + (isDurable ? " durable" : "");
    }
}
