package io.tickwheel.server;

import io.vertx.core.http.HttpConnection;

/** Counts the open connections and closes those beyond a limit at once: each has buffers and a descriptor. For one event loop. */
final class Connections {

    private final int limit;
    private int open;

    Connections(int limit) {
        this.limit = limit;
    }

    void opened(HttpConnection connection) {
        open++;
        connection.closeHandler(closed -> open--);
        if (open > limit) {
            connection.close();
        }
    }
}
