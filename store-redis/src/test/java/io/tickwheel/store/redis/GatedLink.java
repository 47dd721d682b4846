package io.tickwheel.store.redis;

import java.time.Duration;
import java.util.function.Consumer;

/** A link whose replies come when a test says so: each time as many as there are by then. */
final class GatedLink implements Link {

    private final Link link;
    private boolean open;

    GatedLink(Link link) {
        this.link = link;
    }

    /** The next delivery brings what has come. */
    void letThrough() {
        open = true;
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
        boolean wasOpen = open;
        open = false;
        return wasOpen ? link.deliver(limit) : 0;
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
    public void subscribe(String channel, Consumer<String> receiver) {
        link.subscribe(channel, receiver);
    }

    @Override
    public void close() {
        link.close();
    }
}
