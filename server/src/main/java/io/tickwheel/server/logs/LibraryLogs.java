package io.tickwheel.server.logs;

import org.slf4j.bridge.SLF4JBridgeHandler;

/** What libraries log by {@code java.util.logging}. */
public final class LibraryLogs {

    private LibraryLogs() {}

    /** Has it go where the server logs, in the same form; nothing else gets it then. Idempotent. */
    public static synchronized void join() {
        if (!SLF4JBridgeHandler.isInstalled()) {
            SLF4JBridgeHandler.removeHandlersForRootLogger();
            SLF4JBridgeHandler.install();
        }
    }
}
