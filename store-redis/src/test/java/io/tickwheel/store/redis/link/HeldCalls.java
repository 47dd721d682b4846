package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A link to no server: it keeps the calls that are sent, and a test answers them. */
public final class HeldCalls implements Link {

    /** Those that were sent and not answered. */
    public final List<Call> sent = new ArrayList<>();

    public boolean isCluster;
    public boolean hears = true;

    /** Why a server cannot promise what is asked for, if it cannot. */
    public @Nullable String cannot;

    /** Why it may be lost nevertheless, if it may. */
    public @Nullable String doubt;

    /** Answers the oldest call. */
    public void answer(Object value) {
        sent.remove(0).answered(new Reply(Reply.Outcome.DONE, value, "", 1));
    }

    /** Says of the oldest call what became of it. */
    public void fail(Reply.Outcome outcome) {
        sent.remove(0).answered(new Reply(outcome, null, "said so", 1));
    }

    @Override
    public void send(Call call) {
        sent.add(call);
    }

    @Override
    public void flush() {}

    @Override
    public int deliver(int limit) {
        return 0;
    }

    @Override
    public boolean isQuiet() {
        return sent.isEmpty();
    }

    @Override
    public Reply await(Call call, Duration timeout) {
        throw new UnsupportedOperationException("nobody answers at once");
    }

    @Override
    public boolean isCluster() {
        return isCluster;
    }

    @Override
    public @Nullable String cannot(Durability level) {
        return cannot;
    }

    @Override
    public @Nullable String doubt(Durability level) {
        return doubt;
    }

    @Override
    public void greet(Greeting greeting) {}

    @Override
    public void subscribe(String channel, Consumer<String> receiver) {
        throw new UnsupportedOperationException("no channels");
    }

    @Override
    public boolean hears() {
        return hears;
    }

    @Override
    public long idleNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public void close() {}
}
