package io.tickwheel.store.redis;

import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;

/** A link whose replies come when a test says so: each time as many as there are by then. */
final class GatedLink extends PassingLink {

    private boolean open;

    GatedLink(Link link) {
        super(link);
    }

    /** The next delivery brings what has come. */
    void letThrough() {
        open = true;
    }

    @Override
    public int deliver(int limit) {
        boolean wasOpen = open;
        open = false;
        return wasOpen ? super.deliver(limit) : 0;
    }
}
