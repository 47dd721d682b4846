package io.tickwheel.server;

import io.tickwheel.server.config.ServerConfig;
import java.util.Map;

/** Lets a server call the receivers of tests, which are on the loopback addresses. */
public final class ReceiversHere {

    /** Options of HTTP callbacks. */
    public static final Map<String, String> OPTIONS = Map.of("allow", "127.0.0.0/8, ::1", "ports", "1-65535");

    /** The same in a configuration file. */
    public static final String YAML = "targets: {http: {allow: '127.0.0.0/8, ::1', ports: 1-65535}}\n";

    private ReceiversHere() {}

    /** The settings with them, unless there are others. */
    static ServerConfig allowedIn(ServerConfig config) {
        return config.targetOptions().containsKey("http") ? config : config.withTarget("http", OPTIONS);
    }
}
