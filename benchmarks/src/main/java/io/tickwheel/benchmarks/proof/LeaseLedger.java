package io.tickwheel.benchmarks.proof;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.benchmarks.BrokenPromiseException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What consumers have written of all leases, and what they may have seen. Not thread-safe. */
final class LeaseLedger {

    private static final int OK = 200;
    private static final int GONE = 410;

    private final List<PlanHistory.Down> serverKills;

    private final Map<String, Lease> leases = new HashMap<>();
    private final Map<String, List<Lease>> byKey = new HashMap<>();
    private int again;
    private int refused;
    private int honoured;
    private int unknown;

    private static final class Lease {

        private final String key;
        private final List<ConsumerProcess.Fault> holderFaults;
        private final long fromMs;
        private final long untilMs;
        private long sentMs;
        private int sends;
        private int status;

        Lease(String key, List<ConsumerProcess.Fault> holderFaults, long fromMs, long untilMs) {
            this.key = key;
            this.holderFaults = holderFaults;
            // A holder that was stopped while it got the lease writes when it goes on, maybe after another has had it.
            this.fromMs = Math.min(fromMs, untilMs);
            this.untilMs = untilMs;
        }

        /** When one was sent before, that may have been carried out, though its answer was lost. */
        boolean mayBeAcknowledged() {
            return status == OK || sends > 1 || (status == 0 && sends > 0);
        }

        boolean hasHolderFailed(long toMs) {
            return holderFaults.stream().anyMatch(fault -> fault.fromMs() <= toMs && fault.toMs() >= fromMs);
        }
    }

    LeaseLedger(List<PlanHistory.Down> serverKills) {
        this.serverKills = serverKills;
    }

    static LeaseLedger of(List<ConsumerProcess> consumers, List<PlanHistory.Down> serverKills) throws IOException {
        LeaseLedger ledger = new LeaseLedger(serverKills);
        for (ConsumerProcess consumer : consumers) {
            String written = Files.exists(consumer.ledger()) ? Files.readString(consumer.ledger(), UTF_8) : "";
            ledger.read(written, consumer.faults());
        }
        return ledger;
    }

    /** Takes what a consumer has written; one that was killed may have written half a line last. */
    void read(String written, List<ConsumerProcess.Fault> faults) {
        written.substring(0, written.lastIndexOf('\n') + 1).lines().forEach(line -> read(line.split("\t", -1), faults));
    }

    private void read(String[] words, List<ConsumerProcess.Fault> faults) {
        switch (words[0]) {
            case LeaseConsumer.HANDLED -> {
                Lease lease = new Lease(words[2], faults, Long.parseLong(words[3]), Long.parseLong(words[4]));
                if (leases.put(words[1], lease) != null) {
                    throw new IllegalStateException("lease " + words[1] + " was given twice");
                }
                byKey.computeIfAbsent(lease.key, absent -> new ArrayList<>()).add(lease);
            }
            case LeaseConsumer.SENDS -> {
                lease(words).sentMs = Long.parseLong(words[2]);
                lease(words).sends++;
            }
            case LeaseConsumer.STATUS -> lease(words).status = Integer.parseInt(words[2]);
            default -> throw new IllegalStateException("unknown line " + String.join(" ", words));
        }
    }

    private Lease lease(String[] words) {
        Lease lease = leases.get(words[1]);
        if (lease == null) {
            throw new IllegalStateException("lease " + words[1] + " was never given");
        }
        return lease;
    }

    void judge(int timers) throws BrokenPromiseException {
        demand(byKey.size() == timers, timers - byKey.size() + " of " + timers + " timers were never leased");
        for (Map.Entry<String, List<Lease>> timer : byKey.entrySet()) {
            judge(timer.getKey(), timer.getValue());
        }
        System.out.printf(
                "%,d timers, %,d leases, %,d of them again%n"
                        + "acknowledgements refused %,d, honoured by a server started since %,d, without an answer %,d%n"
                        + "lost 0, late and honoured 0, leased again without a fault 0, acknowledged twice 0%n",
                timers, leases.size(), again, refused, honoured, unknown);
    }

    private void judge(String key, List<Lease> held) throws BrokenPromiseException {
        held.sort(Comparator.comparingLong((Lease lease) -> lease.untilMs));
        demand(
                held.stream().anyMatch(Lease::mayBeAcknowledged),
                "timer " + key + " is gone, and nobody has acknowledged it");
        int acknowledged = 0;
        for (int i = 0; i < held.size(); i++) {
            Lease lease = held.get(i);
            boolean hasServerDied = hasServerDied(lease.fromMs, lease.sentMs);
            if (lease.status == OK) {
                demand(
                        lease.sentMs <= lease.untilMs || hasServerDied,
                        "timer " + key + " was acknowledged " + (lease.sentMs - lease.untilMs)
                                + " ms after its lease had expired");
                acknowledged++;
                honoured += hasServerDied ? 1 : 0;
            } else if (lease.status == GONE) {
                refused++;
                demand(
                        lease.sentMs + 1_000 >= lease.untilMs || lease.hasHolderFailed(lease.untilMs) || hasServerDied,
                        "timer " + key + " was held, and its acknowledgement refused");
            } else {
                demand(lease.status == 0, "an acknowledgement was answered with " + lease.status);
                unknown += lease.sentMs > 0 ? 1 : 0;
            }
            if (i > 0) {
                again++;
                leasedAgain(key, held.get(i - 1), lease);
            }
        }
        boolean isOnce = acknowledged <= 1 || hasServerDied(held.get(0).fromMs, held.get(held.size() - 1).sentMs);
        demand(isOnce, "timer " + key + " was acknowledged " + acknowledged + " times");
    }

    private void leasedAgain(String key, Lease before, Lease lease) throws BrokenPromiseException {
        demand(
                before.hasHolderFailed(lease.fromMs) || hasServerDied(before.fromMs, lease.fromMs),
                "timer " + key + " was leased again after " + (lease.fromMs - before.fromMs)
                        + " ms, though nothing had happened to its holder");
        demand(
                lease.fromMs >= before.untilMs
                        || before.mayBeAcknowledged()
                        || hasServerDied(before.fromMs, lease.fromMs),
                "timer " + key + " was leased again " + (before.untilMs - lease.fromMs)
                        + " ms before its lease expired");
    }

    private boolean hasServerDied(long fromMs, long toMs) {
        return serverKills.stream().anyMatch(down -> down.fromMs() <= toMs && down.toMs() >= fromMs);
    }

    private static void demand(boolean holds, String otherwise) throws BrokenPromiseException {
        if (!holds) {
            throw new BrokenPromiseException(otherwise);
        }
    }
}
