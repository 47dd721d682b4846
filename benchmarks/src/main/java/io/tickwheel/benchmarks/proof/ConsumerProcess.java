package io.tickwheel.benchmarks.proof;

import io.tickwheel.benchmarks.ChildJvm;
import io.tickwheel.benchmarks.Signals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@link LeaseConsumer} in its process, and what was done to it. Used by one thread. */
final class ConsumerProcess {

    /** When it was stopped, and when it went on; for ever when it was killed. */
    record Fault(long fromMs, long toMs) {}

    private final Process process;
    private final Path ledger;
    private final List<Fault> faults = new ArrayList<>();
    private long goesOnAtMs;
    private long stoppedAtMs;

    ConsumerProcess(Path ledger, List<String> arguments) throws IOException {
        this.ledger = ledger;
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--ledger", ledger.toString()));
        process = ChildJvm.start("-Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1", LeaseConsumer.class, all);
    }

    Path ledger() {
        return ledger;
    }

    List<Fault> faults() {
        return faults;
    }

    boolean isStopped() {
        return goesOnAtMs > 0;
    }

    void kill() throws InterruptedException {
        // It may have died a moment before this returns, but not before this is called.
        faults.add(new Fault(System.currentTimeMillis(), Long.MAX_VALUE));
        process.destroyForcibly().waitFor();
    }

    /** Has it stand still until {@link #goOnIfTime} comes after that time. */
    void stop(long untilMs) throws IOException, InterruptedException {
        stoppedAtMs = System.currentTimeMillis();
        goesOnAtMs = untilMs;
        Signals.send(process, "STOP");
    }

    void goOnIfTime(long nowMs) throws IOException, InterruptedException {
        if (isStopped() && nowMs >= goesOnAtMs) {
            goesOnAtMs = 0;
            Signals.send(process, "CONT");
            faults.add(new Fault(stoppedAtMs, System.currentTimeMillis()));
        }
    }

    /** Lets it finish what it holds. */
    void end() throws IOException, InterruptedException {
        process.outputWriter().close();
        if (process.waitFor() != 0) {
            throw new IOException("a consumer has failed with exit code " + process.exitValue());
        }
    }

    void destroy() {
        process.destroyForcibly();
    }
}
