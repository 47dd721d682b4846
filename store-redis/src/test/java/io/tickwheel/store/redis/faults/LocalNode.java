package io.tickwheel.store.redis.faults;

import io.tickwheel.store.TimerView;
import java.util.concurrent.CompletableFuture;

/** A node in the process of the test: for faults of the servers and of the network. */
final class LocalNode implements FaultNode, NodeReports {

    private final NodeSetup setup;
    private final FaultLedger ledger;
    private final NodeEngine engine;
    private volatile boolean closing;

    LocalNode(NodeSetup setup, FaultLedger ledger, int attempts) {
        this.setup = setup;
        this.ledger = ledger;
        this.engine = new NodeEngine(setup, this, attempts);
    }

    /** From now on it delivers. */
    void handle() {
        engine.handle();
    }

    /** Lets the handlers of held keys go on. */
    void free() {
        engine.free();
    }

    /** What stands under a key; there must be something. */
    TimerView find(String key) {
        return engine.find(key).orElseThrow();
    }

    @Override
    public String name() {
        return setup.name();
    }

    @Override
    public CompletableFuture<FaultAnswer> schedule(String key, String token, long dueAtMs) {
        return engine.schedule(key, token, dueAtMs);
    }

    @Override
    public CompletableFuture<FaultAnswer> cancel(String key) {
        return engine.cancel(key);
    }

    @Override
    public boolean isRunning() {
        return !closing && engine.isRunning();
    }

    @Override
    public void close() {
        if (!closing) {
            closing = true;
            engine.close();
        }
    }

    @Override
    public void delivered(FaultDelivery delivery) {
        ledger.delivered(delivery);
    }

    @Override
    public void handled(FaultDelivery delivery) {
        ledger.handled(delivery, System.currentTimeMillis());
    }

    @Override
    public void reached(NodePhase phase, String key) {
        // Nobody in this process is to die.
    }

    @Override
    public void failed(String node, String cause) {
        ledger.failed(node, cause);
    }

    @Override
    public void stalled(String node, long fromMs, long toMs) {
        ledger.cause(new FaultCause(FaultCause.Kind.STALLED, node, fromMs, toMs));
    }
}
