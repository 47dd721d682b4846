package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFactory;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.tickwheel.engine.Clock;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.ReceiversHere;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.transport.Transport;
import java.lang.reflect.Proxy;
import java.net.BindException;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class HttpTargetTest {

    @ParameterizedTest
    @CsvSource({
        "POST http://Shop.Example/a?b=c, http://shop.example:80",
        "PUT http://shop.example:80/, http://shop.example:80",
        "POST https://shop.example/, https://shop.example:443",
        "POST http://[2001:DB8::1]:8080/x, http://[2001:db8::1]:8080",
        "nothing, nothing"
    })
    void timersThatGoToOneHostAndPortWaitTogether(String address, String route) {
        Vertx vertx = Vertx.vertx();
        try {
            HttpTarget target = new HttpTarget(
                    vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1);
            assertThat(new RunningAttempts().of(target).route(address)).isEqualTo(route);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    /** The transport of the JDK, with other sockets. */
    private static Transport transport(
            Function<ChannelFactory<? extends Channel>, ChannelFactory<? extends Channel>> sockets) {
        io.vertx.core.spi.transport.Transport jdk = Transport.NIO.implementation();
        return (Transport) Proxy.newProxyInstance(
                HttpTargetTest.class.getClassLoader(),
                new Class<?>[] {Transport.class, io.vertx.core.spi.transport.Transport.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "implementation" -> proxy;
                    case "channelFactory" -> sockets.apply(jdk.channelFactory((boolean) arguments[0]));
                    default ->
                        method.invoke(method.getDeclaringClass() == Transport.class ? Transport.NIO : jdk, arguments);
                });
    }

    /** Opens no socket while it may not, as where too many files are open. */
    private static ChannelFactory<Channel> sockets(ChannelFactory<? extends Channel> sockets, AtomicBoolean mayOpen) {
        return () -> {
            if (!mayOpen.get()) {
                throw new ChannelException("Failed to open a socket.", new SocketException("Too many open files"));
            }
            return sockets.newChannel();
        };
    }

    @Test
    void anAttemptForWhichNoSocketCouldBeOpenedDoesNotCount() throws Exception {
        AtomicBoolean mayOpen = new AtomicBoolean();
        Vertx vertx = Vertx.builder()
                .withTransport(transport(jdk -> sockets(jdk, mayOpen)))
                .build();
        HttpTarget target = new HttpTarget(
                vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1);
        try (Receiver receiver = new Receiver()) {
            String url = receiver.url("/");
            CompletableFuture<Instant> again = new CompletableFuture<>();
            CompletableFuture<String> outcome = new CompletableFuture<>();
            Instant before = Instant.now();
            target.deliver(SentCallback.attempt(url, new byte[0], 1), new SentCallback.Outcome(outcome) {
                @Override
                public void postpone(String reason, Instant until) {
                    again.complete(until);
                    super.postpone(reason, until);
                }
            });
            assertThat(outcome.get(60, TimeUnit.SECONDS))
                    .isEqualTo("postponed: no connection to " + URI.create(url).getAuthority()
                            + ", too many files are open here");
            assertThat(again.join())
                    .isBetween(before.plusSeconds(1), Instant.now().plusSeconds(1));
            mayOpen.set(true);
            assertThat(SentCallback.to(url, new byte[0], target).get(60, TimeUnit.SECONDS))
                    .isEqualTo("acknowledged");
        } finally {
            target.close();
        }
    }

    static List<SocketException> refusalsToConnect() {
        return List.of(
                new NoRouteToHostException("No route to host"),
                new SocketException("Network is unreachable"),
                new BindException("Cannot assign requested address"));
    }

    @ParameterizedTest
    @MethodSource("refusalsToConnect")
    void aConnectionThatWasNeverMadeHasNotBroken(SocketException refusal) throws Exception {
        ChannelFactory<Channel> cutOff = () -> new NioSocketChannel() {
            @Override
            protected boolean doConnect(SocketAddress receiver, SocketAddress from) throws SocketException {
                throw refusal;
            }
        };
        Vertx vertx = Vertx.builder().withTransport(transport(jdk -> cutOff)).build();
        HttpTarget target = new HttpTarget(
                vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1);
        try {
            assertThat(SentCallback.to("http://127.0.0.1:7/", new byte[0], target)
                            .get(60, TimeUnit.SECONDS))
                    .isEqualTo("unreachable: no connection to 127.0.0.1:7");
        } finally {
            target.close();
        }
    }

    /** The others go to addresses, or to names that are known. */
    @Test
    void eighthOfTheAttemptsMayWaitForNames() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (LoopbackNameServer silent = new LoopbackNameServer((name, asked) -> null)) {
            HttpSettings settings = HttpSettings.read(Map.of("nameServers", silent.address()));
            Context context = vertx.getOrCreateContext();
            HttpTarget target = new HttpTarget(vertx, context, Clock.system(), settings, 160);
            List<CompletableFuture<String>> outcomes = new ArrayList<>();
            CompletableFuture<List<Boolean>> ended = new CompletableFuture<>();
            // Before any look-up can be over.
            context.runOnContext(go -> {
                for (int i = 0; i < 40; i++) {
                    outcomes.add(SentCallback.to("http://shop" + i + ".test/", new byte[0], target));
                }
                context.runOnContext(behind -> ended.complete(
                        outcomes.stream().map(CompletableFuture::isDone).toList()));
            });
            assertThat(ended.get(20, TimeUnit.SECONDS).subList(0, 20)).containsOnly(false);
            for (CompletableFuture<String> refused : outcomes.subList(20, 40)) {
                assertThat(refused.get(20, TimeUnit.SECONDS)).contains("no look-up of shop");
            }
            target.close();
        }
    }

    private static Set<Thread> lookingUp() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().startsWith("tickwheel-names"));
        return threads;
    }

    @Test
    void whoLooksNamesUpEndsWithTheTarget() throws Exception {
        Set<Thread> before = lookingUp();
        Vertx vertx = Vertx.vertx();
        try (LoopbackNameServer names = new LoopbackNameServer((name, asked) -> List.of())) {
            HttpSettings settings = HttpSettings.read(Map.of("nameServers", names.address()));
            HttpTarget target = new HttpTarget(vertx, vertx.getOrCreateContext(), Clock.system(), settings, 1);
            assertThat(SentCallback.to("http://shop.test/", new byte[0], target).get(20, TimeUnit.SECONDS))
                    .startsWith("unreachable: ");
            Set<Thread> begun = lookingUp();
            begun.removeAll(before);
            assertThat(begun).isNotEmpty();
            target.close();
            for (Thread thread : begun) {
                thread.join(60_000);
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }
}
