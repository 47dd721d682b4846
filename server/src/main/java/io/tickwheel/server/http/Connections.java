package io.tickwheel.server.http;

import io.vertx.core.http.HttpConnection;

/**
 * Counts the open connections and closes those beyond a limit at once: each has buffers and a descriptor. For one
 * event loop.
 */
public final class Connections {

    private final int limit;
    private int open;

    /**
     * Lets a number of connections in, none of which is open yet.
     */
    public Connections(int limit) {
        this.limit = limit;
    }

    public void opened(HttpConnection connection) {
        open++;
        connection.closeHandler(closed -> open--);
        if (open > limit) {
            connection.close();
        }
    }
}
