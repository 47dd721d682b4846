package io.tickwheel.store.redis.link;

/** A master, with a connection for each way to be durable. Of the loop. */
final class Node {

    final Endpoint endpoint;
    private final SessionKeeper plain;
    private final SessionKeeper durable;

    Node(LettuceLink link, Endpoint endpoint) {
        this.endpoint = endpoint;
        plain = new SessionKeeper(link, endpoint, Session::new);
        durable = new SessionKeeper(link, endpoint, GroupSession::new);
    }

    SessionKeeper keeper(boolean isDurable) {
        return isDurable ? durable : plain;
    }

    boolean isOpen() {
        return plain.session() != null && durable.session() != null;
    }

    /** What keeps it from being open; empty when nothing is known to. */
    String trouble() {
        return plain.trouble().isEmpty() ? durable.trouble() : plain.trouble();
    }

    void care(long now) {
        plain.care(now);
        durable.care(now);
    }

    void flush() {
        plain.flush();
        durable.flush();
    }

    void close(String reason) {
        plain.close(reason);
        durable.close(reason);
    }
}
