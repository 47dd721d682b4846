package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.redis.testkit.TcpProxy;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.StoreLockedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One Redis that goes down, forgets its scripts, has no memory left or cannot be reached. */
@Tag("outage")
final class ServerFaultTest {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.builder()
                .config("appendonly", "yes")
                .config("appendfsync", "always")
                .start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static NodeSetup setup() {
        return NodeSetup.single(server.port(), FaultRun.fresh("server"), 16);
    }

    @Test
    void nothingIsLostWhenRedisIsKilledAndKeepsALog() {
        try (FaultRun run = new FaultRun("Redis killed and started again", setup())) {
            run.local();
            run.local();
            FaultLoad load = run.load(300);
            for (int round = 0; round < FaultSettings.rounds(); round++) {
                load.awaitAnswers(150);
                run.ledger.servers(() -> {
                    server.kill();
                    Patience.awaitMs(System.currentTimeMillis() + 500L * FaultSettings.outageSeconds());
                    server.restart();
                    load.awaitAnswers(150);
                });
            }
            load.stop();
            run.conclude();
        }
    }

    /** Redis does not keep scripts over a restart, and can be told to forget them. */
    @Test
    void forgottenScriptsAreSentAgain() {
        // A node that takes another for dead because this machine is slow delivers what that does.
        NodeSetup calm = setup().withLease(Duration.ofSeconds(10)).withTimeout(Duration.ofSeconds(30));
        try (FaultRun run = new FaultRun("scripts forgotten", calm)) {
            run.local();
            run.local();
            FaultLoad load = run.load(300);
            for (int i = 0; i < 10 * FaultSettings.rounds(); i++) {
                load.awaitAnswers(30);
                server.command("SCRIPT", "FLUSH");
            }
            load.stop();
            FaultReport report = run.conclude();
            assertThat(report.unknown + report.refused + report.tiedDuplicates).isZero();
        }
    }

    /** A command was carried out, and its reply is lost with the connection: sent again, it has the effect of once. */
    @Test
    void lostRepliesAreAskedForAgain() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                // None may be given up because this machine is slow: what is asked again must have been lost.
                FaultRun run = new FaultRun("replies lost", setup().withTimeout(Duration.ofSeconds(30)))) {
            run.local();
            run.local(run.setup().withServers(NodeSetup.single(proxy.port(), "", 1)));
            FaultLoad load = run.load(300);
            for (int i = 0; i < 4 * FaultSettings.rounds(); i++) {
                load.awaitAnswers(100);
                run.ledger.servers(() -> {
                    long before = proxy.bytesSwallowed();
                    proxy.swallowReplies();
                    Patience.until("replies are lost", () -> proxy.bytesSwallowed() > before + 1_000);
                    proxy.cut();
                    load.awaitAnswers(30);
                });
            }
            load.stop();
            FaultReport report = run.conclude();
            assertThat(report.unknown + report.refused).isZero();
        }
    }

    /** What was on its way is asked for again, over connections that are killed in their turn. */
    @Test
    void connectionsThatAreKilledAgainAndAgainLoseNothing() {
        try (FaultRun run = new FaultRun("connections killed", setup().withTimeout(Duration.ofSeconds(30)))) {
            run.local();
            run.local();
            FaultLoad load = run.load(300);
            for (int i = 0; i < 20 * FaultSettings.rounds(); i++) {
                load.awaitAnswers(20);
                run.ledger.servers(() -> {
                    server.command("CLIENT", "KILL", "TYPE", "normal");
                    server.command("CLIENT", "KILL", "TYPE", "pubsub");
                    load.awaitAnswers(5);
                });
            }
            load.stop();
            FaultReport report = run.conclude();
            assertThat(report.unknown + report.refused).isZero();
        }
    }

    @Test
    void fullRedisTakesNoTimersAndGoesOnWithAllElse() {
        NodeSetup setup = setup().withLease(Duration.ofSeconds(10));
        try (FaultRun run = new FaultRun("Redis out of memory", setup)) {
            LocalNode node = run.local();
            run.local();
            List<CompletableFuture<FaultAnswer>> made = new ArrayList<>();
            long dueMs = System.currentTimeMillis() + 1_500;
            for (int i = 0; i < 200; i++) {
                // What is cancelled must not be due before, however slow this machine is.
                made.add(run.ledger.schedule(node, "k" + i, "k" + i, i < 50 ? dueMs + 5_000 : dueMs));
            }
            made.forEach(CompletableFuture::join);
            server.command("CONFIG", "SET", "maxmemory", "1");
            assertThat(run.ledger
                            .schedule(node, "refused", "refused", dueMs)
                            .join()
                            .kind())
                    .isEqualTo(FaultAnswer.Kind.FULL);
            for (int i = 0; i < 50; i++) {
                assertThat(run.ledger.cancel(node, "k" + i).join().kind()).isEqualTo(FaultAnswer.Kind.CANCELLED);
            }
            Patience.until("the others come", () -> run.ledger.deliveries().size() >= 150);
            assertThat(run.ledger.schedule(node, "again", "again", dueMs).join().kind())
                    .isEqualTo(FaultAnswer.Kind.FULL);
            server.command("CONFIG", "SET", "maxmemory", "0");
            assertThat(run.ledger.schedule(node, "taken", "taken", dueMs).join().kind())
                    .isEqualTo(FaultAnswer.Kind.MADE);
            FaultReport report = run.conclude();
            assertThat(report.tiedDuplicates).isZero();
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @Test
    void secondNodeOfANameIsRefused() {
        NodeSetup setup = setup();
        try (FaultRun run = new FaultRun("two nodes of one name", setup)) {
            LocalNode first = run.local();
            assertThatThrownBy(() -> new LocalNode(setup.named(first.name()), run.ledger, 1).close())
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining(first.name());
            run.ledger.schedule(first, "k", "k", System.currentTimeMillis()).join();
            run.conclude();
        }
    }

    @Test
    void anotherNumberOfPartitionsIsRefused() {
        NodeSetup setup = setup();
        try (FaultRun run = new FaultRun("another number of partitions", setup)) {
            LocalNode first = run.local();
            NodeSetup other = new NodeSetup(
                    setup.servers(), setup.namespace(), 17, setup.lease(), setup.timeout(), 0, FaultRun.fresh("n"));
            assertThatThrownBy(() -> new LocalNode(other, run.ledger, 1).close())
                    .isInstanceOf(StoreFormatException.class)
                    .hasMessageContaining("16")
                    .hasMessageContaining("17");
            run.ledger.schedule(first, "k", "k", System.currentTimeMillis()).join();
            run.conclude();
        }
    }

    @Test
    void serverThatEvictsIsRefused() {
        NodeSetup setup = setup().named("n");
        server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        try {
            assertThatThrownBy(() -> new LocalNode(setup, new FaultLedger(), 1).close())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("allkeys-lru");
        } finally {
            server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        }
    }
}
