package io.tickwheel.server.http;

/** What requests and connections may cost. Sizes are in bytes. */
public final class Limits {

    public static final int REQUEST_LINE = 8_192;
    public static final int HEADERS = 16_384;
    static final int BODY = 1 << 20;
    static final int SETTINGS_BODY = 64 << 10;
    static final int TOKEN_BODY = 4 << 10;
    static final int BATCH_BODY = 16 << 20;
    static final int BATCH_LINES = 10_000;
    static final int IDEMPOTENCY_KEY = 255;
    /** Longer than a consumer may wait for leases. */
    public static final int IDLE_SECONDS = 90;

    /** From the first byte of a request head to its last, and for a TLS handshake; much less than a connection may be idle between requests. */
    public static final int HEAD_MS = 10_000;

    static final int CONNECTIONS = 10_000;

    private Limits() {}
}
