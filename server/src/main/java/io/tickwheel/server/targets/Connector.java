package io.tickwheel.server.targets;

import io.tickwheel.server.wire.Excerpt;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientBuilder;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects to destinations that the rules allow: to exactly the address that was judged, as a name can have another one a moment later.
 * The name stays in the request and in TLS. A connection that is kept is used for that address and that name only. Of one event loop.
 */
final class Connector {

    private static final Logger LOG = LoggerFactory.getLogger(Connector.class);

    private final HttpClient client;
    private final NameLookups names;
    private final HttpSettings settings;
    private final int most;
    private final Recent<Destination> destinations;
    private final AtomicInteger open = new AtomicInteger();

    /**
     * Connects with a client of which it is the only user, as it counts its connections.
     *
     * @param most how many connections may be open, about, before those that are used are closed after their answer; more than
     *     may be in use
     */
    Connector(HttpClientBuilder client, NameLookups names, HttpSettings settings, int most) {
        this.client = client.withConnectHandler(this::connected).build();
        this.names = names;
        this.settings = settings;
        this.most = most;
        this.destinations = new Recent<>(address -> Destination.parse(address, settings.rules()));
    }

    /** Without a handler, Vert.x logs what breaks a connection as an error of ours. The attempt on it, if any, has it as its reason. */
    private void connected(HttpConnection connection) {
        open.incrementAndGet();
        connection.closeHandler(closed -> open.decrementAndGet());
        connection.exceptionHandler(cause -> LOG.debug(
                "the connection to {} broke: {}", connection.remoteAddress(), Excerpt.sentence(cause.toString())));
    }

    Timeouts timeouts() {
        return settings.timeouts();
    }

    /**
     * Reads a stored address. Any thread may call this.
     *
     * @throws IllegalArgumentException with the rule that the URL breaks
     */
    Destination destination(String address) {
        return destinations.of(address);
    }

    /**
     * Connects, or takes a connection that is kept. Fails with {@link RefusedDestinationException} where a rule says so.
     *
     * @param attempt from 1; one after the other goes to the next of the addresses that a name has
     * @param headers asked for when there is an address
     */
    Future<HttpClientRequest> request(Destination destination, int attempt, Supplier<MultiMap> headers) {
        String refusal = destination.refusal();
        if (refusal != null) {
            return Future.failedFuture(new RefusedDestinationException(refusal));
        }
        SocketAddress server = destination.server();
        return server != null
                ? connect(destination, server, headers)
                : names.find(destination.name())
                        .compose(addresses -> request(destination, addresses, attempt, headers));
    }

    /** A name with one address that must not be called is not called at all: what else it has is no accident. */
    private Future<HttpClientRequest> request(
            Destination destination, List<InetAddress> addresses, int attempt, Supplier<MultiMap> headers) {
        for (InetAddress address : addresses) {
            String refusal = settings.rules().refusal(destination.address(), address);
            if (refusal != null) {
                return Future.failedFuture(new RefusedDestinationException(refusal));
            }
        }
        InetAddress next = addresses.get((attempt - 1) % addresses.size());
        return connect(destination, destination.server(next), headers);
    }

    private Future<HttpClientRequest> connect(
            Destination destination, SocketAddress server, Supplier<MultiMap> headers) {
        HttpAddress address = destination.address();
        MultiMap sent = headers.get();
        if (open.get() >= most) {
            sent.set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        return client.request(new RequestOptions()
                .setMethod(destination.method())
                .setHost(address.host())
                .setPort(address.port())
                .setServer(server)
                .setSsl(address.tls())
                .setURI(address.uri())
                .setHeaders(sent));
    }
}
