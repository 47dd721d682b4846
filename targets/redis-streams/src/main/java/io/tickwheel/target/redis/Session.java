package io.tickwheel.target.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/** A way to the servers that is open, or was. */
record Session(StatefulConnection<byte[], byte[]> connection, RedisClusterAsyncCommands<byte[], byte[]> commands) {

    /** Ends it, without waiting; what was sent and not answered fails. */
    void end() {
        var unused = connection.closeAsync();
    }
}
