package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFactory;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.tickwheel.redis.testkit.Patience;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Look-ups at a real name server, which answers late, never, or something new each time. */
final class NameLookupsTest {

    private static final int MOST = 16;

    private final Vertx vertx = Vertx.vertx();
    private final Context context = vertx.getOrCreateContext();

    private final List<NameLookups> open = new ArrayList<>();

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        open.forEach(NameLookups::close);
    }

    private NameLookups lookups(LoopbackNameServer server, String timeout, String keptFor) {
        return lookups(server.address(), timeout, keptFor);
    }

    private NameLookups lookups(String servers, String timeout, String keptFor) {
        return lookups(servers, timeout, keptFor, NioDatagramChannel::new);
    }

    private NameLookups lookups(
            String servers, String timeout, String keptFor, ChannelFactory<NioDatagramChannel> sockets) {
        HttpSettings settings =
                HttpSettings.read(Map.of("nameServers", servers, "connectTimeout", timeout, "namesKeptFor", keptFor));
        NameServers asked =
                new NameServers(settings.nameServers(), settings.timeouts().connectMs(), sockets);
        NameLookups lookups = new NameLookups(vertx, context, asked, settings.namesKeptMs(), MOST);
        open.add(lookups);
        return lookups;
    }

    /** Runs on the event loop that the look-ups belong to. */
    private <T> T onLoop(Callable<T> call) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        context.runOnContext(go -> {
            try {
                result.complete(call.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result.get(30, TimeUnit.SECONDS);
    }

    private static List<InetAddress> await(Future<List<InetAddress>> answer) throws Exception {
        return answer.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    /** Looks again where a look-up has failed, as one does that a busy machine is too slow for. */
    private boolean isFoundSoon(NameLookups lookups, String name) {
        return Patience.look(
                () -> {
                    try {
                        return onLoop(() -> lookups.find(name).succeeded());
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                },
                found -> found);
    }

    private static void assertUnknown(Future<List<InetAddress>> answer) {
        assertThatThrownBy(() -> await(answer))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(UnknownHostException.class);
    }

    @Test
    void allWhoAskAtOnceWaitForOneLookUp() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        try (LoopbackNameServer server = new LoopbackNameServer((name, asked) -> {
            await(answers);
            return List.of("127.0.0.9");
        })) {
            NameLookups lookups = lookups(server, "20s", "1m");
            List<Future<List<InetAddress>>> asked = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                asked.add(onLoop(() -> lookups.find("shop.test")));
            }
            assertThat(onLoop(lookups::underWay)).isEqualTo(1);
            answers.countDown();
            for (Future<List<InetAddress>> answer : asked) {
                assertThat(await(answer)).containsExactly(InetAddress.getByName("127.0.0.9"));
            }
            assertThat(server.questions("shop.test")).isEqualTo(1);
            assertThat(onLoop(() -> lookups.find("shop.test").isComplete())).isTrue();
            assertThat(onLoop(lookups::underWay)).isZero();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void namesThatNeverAnswerAreFewAndGivenUpInTime() throws Exception {
        try (LoopbackNameServer server =
                new LoopbackNameServer((name, asked) -> name.startsWith("silent") ? null : List.of("127.0.0.9"))) {
            NameLookups lookups = lookups(server, "1s", "1m");
            assertThat(isFoundSoon(lookups, "kept.test")).isTrue();
            List<Future<List<InetAddress>>> silent = onLoop(() -> {
                List<Future<List<InetAddress>>> asked = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    asked.add(lookups.find("silent" + i + ".test"));
                }
                assertThat(lookups.underWay()).isEqualTo(MOST);
                // Those that are too many fail at once, and what is known stays so.
                assertThat(asked)
                        .filteredOn(Future::failed)
                        .hasSize(100 - MOST)
                        .allMatch(refused -> refused.cause() instanceof RejectedExecutionException);
                assertThat(lookups.find("kept.test").succeeded()).isTrue();
                return asked.subList(0, MOST);
            });
            silent.forEach(NameLookupsTest::assertUnknown);
            assertThat(onLoop(lookups::underWay)).isZero();
            assertThat(isFoundSoon(lookups, "other.test")).isTrue();
        }
    }

    @Test
    void namesThatNeverAnswerKeepNobodyFromThoseThatDid() throws Exception {
        try (LoopbackNameServer server = new LoopbackNameServer((name, asked) ->
                name.startsWith("silent") || (name.equals("gone.test") && asked > 0) ? null : List.of("127.0.0.9"))) {
            NameLookups lookups = lookups(server, "20s", "0s");
            assertThat(await(onLoop(() -> lookups.find("shop.test")))).hasSize(1);
            assertThat(await(onLoop(() -> lookups.find("gone.test")))).hasSize(1);
            Future<List<InetAddress>> again = onLoop(() -> {
                for (int i = 0; i < MOST; i++) {
                    var unused = lookups.find("silent" + i + ".test");
                }
                var unused = lookups.find("gone.test");
                assertThat(lookups.find("new.test").cause()).isInstanceOf(RejectedExecutionException.class);
                return lookups.find("shop.test");
            });
            assertThat(await(again)).hasSize(1);
        }
    }

    @Test
    void aNameThatIsFoundNoMoreWaitsWithTheOthers() throws Exception {
        try (LoopbackNameServer server = new LoopbackNameServer(
                (name, asked) -> name.equals("gone.test") ? asked == 0 ? List.of("127.0.0.9") : List.of() : null)) {
            NameLookups lookups = lookups(server, "20s", "0s");
            assertThat(await(onLoop(() -> lookups.find("gone.test")))).hasSize(1);
            assertUnknown(onLoop(() -> lookups.find("gone.test")));
            // What is known of it is kept for a second.
            Throwable refused = Patience.look(
                    () -> {
                        try {
                            return onLoop(() -> {
                                for (int i = 0; i < MOST; i++) {
                                    var unused = lookups.find("silent" + i + ".test");
                                }
                                return lookups.find("gone.test").cause();
                            });
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    },
                    cause -> cause instanceof RejectedExecutionException);
            assertThat(refused).isInstanceOf(RejectedExecutionException.class);
        }
    }

    @Test
    void namesThatWereFoundHaveABoundToo() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        AtomicBoolean waits = new AtomicBoolean();
        try (LoopbackNameServer server = new LoopbackNameServer((name, asked) -> {
            if (waits.get()) {
                await(answers);
            }
            return List.of("127.0.0.9");
        })) {
            NameLookups lookups = lookups(server, "20s", "0s");
            for (int i = 0; i <= 2 * MOST; i++) {
                String name = "n" + i + ".test";
                assertThat(await(onLoop(() -> lookups.find(name)))).hasSize(1);
            }
            waits.set(true);
            List<Future<List<InetAddress>>> again = onLoop(() -> {
                List<Future<List<InetAddress>>> asked = new ArrayList<>();
                for (int i = 0; i <= 2 * MOST; i++) {
                    asked.add(lookups.find("n" + i + ".test"));
                }
                assertThat(lookups.underWay()).isEqualTo(2 * MOST);
                return asked;
            });
            assertThat(again.get(2 * MOST).cause()).isInstanceOf(RejectedExecutionException.class);
            answers.countDown();
            assertThat(await(again.get(0))).hasSize(1);
        }
    }

    /** As where too many files are open. */
    @Test
    void aLookUpForWhichNoSocketCouldBeOpenedSaysSoAndIsMadeAgain() throws Exception {
        AtomicInteger without = new AtomicInteger(2);
        try (LoopbackNameServer server = new LoopbackNameServer((name, asked) -> List.of("127.0.0.9"))) {
            NameLookups lookups = lookups(server.address(), "20s", "1m", () -> {
                if (without.getAndDecrement() > 0) {
                    throw new ChannelException("no socket", new SocketException("Too many open files"));
                }
                return new NioDatagramChannel();
            });
            assertThatThrownBy(() -> await(onLoop(() -> lookups.find("shop.test"))))
                    .hasRootCauseMessage("Too many open files");
            assertThat(isFoundSoon(lookups, "shop.test")).isTrue();
        }
    }

    @Test
    void anotherServerIsAskedWhereOneIsSilent() throws Exception {
        try (LoopbackNameServer silent = new LoopbackNameServer((name, asked) -> null);
                LoopbackNameServer other = new LoopbackNameServer((name, asked) -> List.of("127.0.0.9"))) {
            NameLookups lookups = lookups(silent.address() + ", " + other.address(), "20s", "1m");
            assertThat(await(onLoop(() -> lookups.find("shop.test")))).hasSize(1);
            assertThat(silent.questions("shop.test")).isPositive();
        }
    }

    /** The place of a look-up is free when its attempt is over, and not when all servers have had their time. */
    @Test
    void aLookUpThatIsGivenUpIsOver() throws Exception {
        try (LoopbackNameServer silent = new LoopbackNameServer((name, asked) -> null);
                LoopbackNameServer other = new LoopbackNameServer((name, asked) -> null)) {
            NameLookups lookups = lookups(silent.address() + ", " + other.address(), "500ms", "1m");
            assertUnknown(onLoop(() -> lookups.find("shop.test")));
            assertThat(other.questions("shop.test")).isZero();
        }
    }

    @Test
    void namesThatAreKeptAreBoundedAndTheOneThatIsUsedStays() throws Exception {
        try (LoopbackNameServer server = new LoopbackNameServer((name, asked) -> List.of("127.0.0.9"))) {
            NameLookups lookups = lookups(server, "20s", "10m");
            for (int i = 0; i < NameLookups.MOST_KEPT + 500; i += 10) {
                int from = i;
                List<Future<List<InetAddress>>> some = onLoop(() -> {
                    List<Future<List<InetAddress>>> asked = new ArrayList<>(List.of(lookups.find("used.test")));
                    for (int j = from; j < from + 10; j++) {
                        asked.add(lookups.find("n" + j + ".test"));
                    }
                    return asked;
                });
                for (Future<List<InetAddress>> answer : some) {
                    assertThat(await(answer)).hasSize(1);
                }
            }
            assertThat(onLoop(lookups::kept)).isEqualTo(NameLookups.MOST_KEPT);
            assertThat(server.questions("used.test")).isEqualTo(1);
        }
    }

    @Test
    void aNameThatIsMadeLaterIsFoundSoon() throws Exception {
        try (LoopbackNameServer server =
                new LoopbackNameServer((name, asked) -> asked == 0 ? List.of() : List.of("127.0.0.9"))) {
            NameLookups lookups = lookups(server, "20s", "10m");
            assertUnknown(onLoop(() -> lookups.find("late.test")));
            assertThat(onLoop(() -> lookups.find("late.test").failed())).isTrue();
            assertThat(isFoundSoon(lookups, "late.test")).isTrue();
        }
    }
}
