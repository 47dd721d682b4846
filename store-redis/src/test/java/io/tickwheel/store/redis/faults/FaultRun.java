package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.store.redis.RedisVerification;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A fault test from its first node to the verdict: the ledger, the nodes and the load. Used by the thread of the test. */
final class FaultRun implements AutoCloseable {

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final long COMING_MS = 60_000;

    /** For what should not come at all. */
    private static final long SILENCE_MS = 300;

    final FaultLedger ledger = new FaultLedger();
    private final NodeSetup setup;
    private final String title;
    private final List<FaultNode> nodes = new CopyOnWriteArrayList<>();
    private final StallWatch watch =
            new StallWatch((from, to) -> ledger.cause(new FaultCause(FaultCause.Kind.STALLED, "", from, to)));
    private int loads;

    FaultRun(String title, NodeSetup setup) {
        this.title = title;
        this.setup = setup;
    }

    /** A name for a namespace or a node that was not used before. */
    static String fresh(String what) {
        return what + NUMBERS.incrementAndGet();
    }

    NodeSetup setup() {
        return setup;
    }

    LocalNode local() {
        return local(setup);
    }

    LocalNode local(NodeSetup other) {
        LocalNode node = silent(other, NodeEngine.MANY_ATTEMPTS);
        node.handle();
        return node;
    }

    /** A node that delivers nothing until it is told to, and then so many at once. */
    LocalNode silent(NodeSetup other, int attempts) {
        LocalNode node = new LocalNode(other.named(fresh("local")), ledger, attempts);
        nodes.add(node);
        return node;
    }

    /** Ends a node in an orderly way. */
    void end(FaultNode node) {
        node.close();
        nodes.remove(node);
    }

    /** A process that starts; more of them can be started before the first is waited for. */
    FaultProcess process() {
        return process(setup.named(fresh("node")));
    }

    FaultProcess process(NodeSetup named) {
        FaultProcess node = new FaultProcess(named, ledger);
        nodes.add(node);
        return node;
    }

    List<FaultNode> nodes() {
        return nodes;
    }

    /** Timers that are due soon. */
    FaultLoad load(int perSecond) {
        return load(perSecond, 20, 800);
    }

    FaultLoad load(int perSecond, int shortestMs, int spreadMs) {
        return new FaultLoad(
                ledger, () -> nodes, FaultSettings.seed(), "k" + ++loads + "-", perSecond, shortestMs, spreadMs);
    }

    /** Waits until all that was accepted has come, and for a moment more; everybody must have been left alone by then. */
    FaultReport settle() {
        Patience.until("all is answered", ledger::allAnswered);
        Patience.awaitMs(ledger.lastDueAtMs());
        Patience.tryUntil(Duration.ofMillis(COMING_MS), () -> ledger.allCame());
        Patience.awaitMs(System.currentTimeMillis() + SILENCE_MS);
        return ledger.judge();
    }

    /** Settles, closes the nodes, and asserts that no promise is broken and that what is left in Redis is sound. */
    FaultReport conclude() {
        FaultReport report = concludeWithLosses();
        assertThat(report.isClean()).as(() -> report.details(ledger)).isTrue();
        return report;
    }

    /** The same where promises may be broken, but for the one that nothing is early. */
    FaultReport concludeWithLosses() {
        int came = settle().deliveries;
        close();
        FaultReport report = ledger.judge();
        say(report.summary());
        // What comes only when a node closes was forgotten by it.
        assertThat(report.deliveries).as(() -> report.details(ledger)).isEqualTo(came);
        assertThat(ledger.failures()).isEmpty();
        assertThat(report.number(FaultReport.Broken.EARLY))
                .as(() -> report.details(ledger))
                .isZero();
        assertThat(report.deliveries).isPositive();
        verify();
        return report;
    }

    void verify() {
        assertThat(RedisVerification.verify(setup.address(), setup.namespace()).findings())
                .isEmpty();
    }

    void say(String what) {
        System.out.println("Fault test, " + title + ": " + what);
    }

    /** Ends the nodes that still run. */
    @Override
    public void close() {
        nodes.forEach(FaultNode::close);
        nodes.clear();
        watch.close();
    }
}
