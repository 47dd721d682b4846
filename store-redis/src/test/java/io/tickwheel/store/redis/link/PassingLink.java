package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A link that passes everything on, for tests that hold up, lose or change some of it. */
public class PassingLink implements Link {

    protected final Link link;

    public PassingLink(Link link) {
        this.link = link;
    }

    @Override
    public void send(Call call) {
        link.send(call);
    }

    @Override
    public void flush() {
        link.flush();
    }

    @Override
    public int deliver(int limit) {
        return link.deliver(limit);
    }

    @Override
    public boolean isQuiet() {
        return link.isQuiet();
    }

    @Override
    public Reply await(Call call, Duration timeout) {
        return link.await(call, timeout);
    }

    @Override
    public boolean isCluster() {
        return link.isCluster();
    }

    @Override
    public @Nullable String cannot(Durability level) {
        return link.cannot(level);
    }

    @Override
    public @Nullable String doubt(Durability level) {
        return link.doubt(level);
    }

    @Override
    public void greet(Greeting greeting) {
        link.greet(greeting);
    }

    @Override
    public void subscribe(String channel, Consumer<String> receiver) {
        link.subscribe(channel, receiver);
    }

    @Override
    public long idleNanos() {
        return link.idleNanos();
    }

    @Override
    public boolean hears() {
        return link.hears();
    }

    @Override
    public void close() {
        link.close();
    }
}
