package io.tickwheel.store.redis.link;

/**
 * Where a server listens.
 *
 * @param host a name or an address, that of IPv6 without brackets
 * @param port 1 to 65535
 */
public record Endpoint(String host, int port) {

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
