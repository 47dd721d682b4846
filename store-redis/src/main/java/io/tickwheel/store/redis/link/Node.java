package io.tickwheel.store.redis.link;

/** A master, with a connection for each way to be durable. Of the loop. */
final class Node {

    final Endpoint endpoint;
    private final Reconnector plain;
    private final Reconnector durable;

    Node(LinkContext context, CallSink sink, ServerEvents events, Endpoint endpoint) {
        this.endpoint = endpoint;
        plain = new Reconnector(
                context,
                events,
                endpoint,
                (connection, whenLost) ->
                        new Session(context, sink, endpoint, connection, context.nextNumber(), whenLost));
        durable = new Reconnector(
                context,
                events,
                endpoint,
                (connection, whenLost) -> new GroupSession(
                        context, sink, events::lookAgain, endpoint, connection, context.nextNumber(), whenLost));
    }

    Reconnector reconnector(boolean isDurable) {
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
