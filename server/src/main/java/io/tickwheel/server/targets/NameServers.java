package io.tickwheel.server.targets;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverChannelStrategy;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import io.netty.resolver.dns.NoopAuthoritativeDnsServerCache;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the addresses of names: the hosts file, then name servers. Has one thread, which starts with the first question, and keeps no
 * answer. Thread-safe.
 */
final class NameServers {

    private static final int QUERY_TIMEOUT_MS = 2_000;

    private final List<InetSocketAddress> servers;
    private final int timeoutMs;
    private final ChannelFactory<? extends DatagramChannel> sockets;
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("tickwheel-names", true), NioIoHandler.newFactory());
    private final EventLoop loop = group.next();

    /** Of the loop. */
    private @Nullable DnsNameResolver resolver;

    /**
     * Opens nothing.
     *
     * @param servers are asked one after the other; none for those of the operating system
     * @param timeoutMs when a question is given up
     * @param sockets makes the socket of each question
     */
    NameServers(List<InetSocketAddress> servers, int timeoutMs, ChannelFactory<? extends DatagramChannel> sockets) {
        this.servers = servers;
        this.timeoutMs = timeoutMs;
        this.sockets = sockets;
    }

    /** Asks, and tells what came of it on the thread that it has. */
    void ask(String name, Consumer<Future<List<InetAddress>>> answer) {
        loop.execute(() -> {
            Future<List<InetAddress>> question = question(name);
            Future<?> end = loop.schedule(() -> question.cancel(false), timeoutMs, TimeUnit.MILLISECONDS);
            question.addListener(done -> {
                end.cancel(false);
                answer.accept(question);
            });
        });
    }

    private Future<List<InetAddress>> question(String name) {
        try {
            return resolver().resolveAll(name);
        } catch (RuntimeException e) {
            return loop.newFailedFuture(e);
        }
    }

    private DnsNameResolver resolver() {
        DnsNameResolver open = resolver;
        if (open == null) {
            open = new DnsNameResolverBuilder(loop)
                    .datagramChannelFactory(sockets)
                    // A socket for all would be missing for ever where it cannot be opened once, and its port could be
                    // learned.
                    .datagramChannelStrategy(DnsNameResolverChannelStrategy.ChannelPerResolution)
                    .socketChannelType(NioSocketChannel.class)
                    .nameServerProvider(provider())
                    .queryTimeoutMillis(QUERY_TIMEOUT_MS)
                    // Netty's own caches grow with whatever names callers think of.
                    .resolveCache(NoopDnsCache.INSTANCE)
                    .cnameCache(NoopDnsCnameCache.INSTANCE)
                    .authoritativeDnsServerCache(NoopAuthoritativeDnsServerCache.INSTANCE)
                    .build();
            resolver = open;
        }
        return open;
    }

    private DnsServerAddressStreamProvider provider() {
        return servers.isEmpty()
                ? DnsServerAddressStreamProviders.platformDefault()
                : new SequentialDnsServerAddressStreamProvider(servers);
    }

    /** Ends the thread; what was asked is not answered any more. */
    void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
