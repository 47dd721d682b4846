package io.tickwheel.server.cli;

import io.tickwheel.server.config.ServerConfig;
import java.util.function.IntPredicate;

/** Runs a server in this process. */
@FunctionalInterface
public interface Launcher {

    /**
     * Starts a server, and returns when it has stopped.
     *
     * @param ready is told the port when the server is ready, and returns whether it is to go on until the process is told to end
     */
    void launch(ServerConfig config, IntPredicate ready);
}
