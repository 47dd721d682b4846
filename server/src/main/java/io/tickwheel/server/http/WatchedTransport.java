package io.tickwheel.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;
import java.util.concurrent.ThreadFactory;

/**
 * The transport of the JDK, as Vert.x has it, with a {@link HeadWatch} in each connection that is accepted, and as many of these as {@link Connections} has room for.
 * Vert.x lets nobody at the handlers of a connection, and tells of it when its TLS handshake is done; its transport makes the channels that they belong to. For the event loop of the server.
 */
public final class WatchedTransport implements io.vertx.core.transport.Transport, Transport {

    private final Transport jdk = io.vertx.core.transport.Transport.NIO.implementation();
    private final long headMs;
    private final Connections connections;

    /**
     * Watches all heads alike.
     *
     * @param headMs how long the head of a request may take
     * @param connections counts those that are accepted
     */
    public WatchedTransport(long headMs, Connections connections) {
        this.headMs = headMs;
        this.connections = connections;
    }

    @Override
    public String name() {
        return io.vertx.core.transport.Transport.NIO.name();
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public Throwable unavailabilityCause() {
        return jdk.unavailabilityCause();
    }

    @Override
    public Transport implementation() {
        return this;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        ChannelFactory<? extends ServerChannel> factory = jdk.serverChannelFactory(domainSocket);
        return () -> {
            ServerChannel channel = factory.newChannel();
            channel.pipeline().addLast(new Accepting());
            return channel;
        };
    }

    /** Sees each connection before anybody reads from it. */
    private final class Accepting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof Channel connection) {
                if (!connections.admit(connection)) {
                    connection.unsafe().closeForcibly();
                    return;
                }
                connection.pipeline().addFirst(new Installing());
            }
            context.fireChannelRead(message);
        }
    }

    /** Waits until Vert.x has put its handlers into the connection, and goes when the watch is among them. */
    private final class Installing extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            ChannelPipeline pipeline = context.pipeline();
            ChannelHandlerContext tls = pipeline.context(SslHandler.class);
            if (tls == null) {
                install(pipeline);
            } else {
                pipeline.addAfter(tls.name(), "handshakes", new Handshaking());
            }
            context.fireChannelActive();
            pipeline.remove(this);
        }
    }

    /** Waits until Vert.x has put its handlers into a connection with TLS, which is when the handshake is done and nothing else was read. */
    private final class Handshaking extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            context.fireUserEventTriggered(event);
            if (event instanceof SslHandshakeCompletionEvent) {
                install(context.pipeline());
                context.pipeline().remove(this);
            }
        }
    }

    /** There is no decoder in a connection that was closed at once, or whose handshake failed. */
    private void install(ChannelPipeline pipeline) {
        ChannelHandlerContext decoder = pipeline.context(HttpRequestDecoder.class);
        if (decoder != null) {
            pipeline.addAfter(decoder.name(), "heads", new HeadWatch(headMs));
        }
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return jdk.ioHandlerFactory();
    }

    @Override
    public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
        return jdk.eventLoopGroup(type, threads, factory, ioRatio);
    }

    @Override
    @SuppressWarnings("deprecation") // the interface has it
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return jdk.datagramChannel(family);
    }

    @Override
    public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
        return jdk.datagramChannelFactory();
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return jdk.channelFactory(domainSocket);
    }

    @Override
    public void configure(TcpConfig options, boolean domainSocket, io.netty.bootstrap.ServerBootstrap bootstrap) {
        jdk.configure(options, domainSocket, bootstrap);
    }

    @Override
    public void configure(TcpConfig options, boolean domainSocket, io.netty.bootstrap.Bootstrap bootstrap) {
        jdk.configure(options, domainSocket, bootstrap);
    }
}
