package io.tickwheel.server.targets;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * What a stored address says without a look-up, and what the rules say of it: each attempt asks for it, so it is worked out once. Immutable.
 *
 * @param origin the {@link HttpAddress#origin}
 * @param place host and port, for reasons and the log
 * @param name of the host, as name servers are asked for it
 * @param server where to connect to, of a host that is an address; null of one that has a name
 * @param refusal the rule that it breaks; null when it breaks none so far
 */
record Destination(
        HttpAddress address,
        HttpMethod method,
        String origin,
        String place,
        String name,
        @Nullable SocketAddress server,
        @Nullable String refusal) {

    /** @throws IllegalArgumentException with the rule that the URL breaks */
    static Destination parse(String stored, DestinationRules rules) {
        HttpAddress address = HttpAddress.parse(stored);
        InetAddress literal = address.literal();
        return new Destination(
                address,
                HttpMethod.valueOf(address.method()),
                address.origin(),
                address.host() + ":" + address.port(),
                HostNames.plain(address.host()),
                literal == null ? null : server(address, literal),
                rules.refusal(address));
    }

    /** One of the addresses that its name has. */
    SocketAddress server(InetAddress found) {
        return server(address, found);
    }

    /** By its number alone: Vert.x looks an address up again that knows its name. */
    private static SocketAddress server(HttpAddress address, InetAddress found) {
        return SocketAddress.inetSocketAddress(address.port(), HttpAddress.text(found));
    }
}
