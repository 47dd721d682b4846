package io.tickwheel.store.redis;

import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;

/** A link whose replies come when a test says so: each time as many as there are by then. */
final class GatedLink extends PassingLink {

    private final Bell bell;
    private boolean open;
    private boolean sent;
    private boolean owed;

    /**
     * @param bell rung when replies come
     */
    GatedLink(Link link, Bell bell) {
        super(link);
        this.bell = bell;
    }

    /** The next delivery brings what has come. */
    void letThrough() {
        open = true;
    }

    @Override
    public void send(Call call) {
        sent = true;
        super.send(call);
    }

    @Override
    public void flush() {
        super.flush();
        owed |= sent;
        sent = false;
    }

    @Override
    public int deliver(int limit) {
        if (!open) {
            return 0;
        }
        open = false;
        int delivered = super.deliver(limit);
        if (delivered == 0 && owed) {
            bell.await();
            delivered = super.deliver(limit);
        }
        owed = owed && !super.isQuiet();
        return delivered;
    }
}
