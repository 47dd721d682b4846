package io.tickwheel.store.redis;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.check.CheckResult;
import io.tickwheel.store.redis.check.Contradiction;
import io.tickwheel.store.redis.check.NamespaceCheck;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.query.BlockingQuery;
import java.util.List;
import java.util.OptionalInt;

/**
 * Reads all that lies in a namespace and says what contradicts its layout. Changes nothing, and nodes may go on meanwhile: what
 * is reported was looked at in one moment, or seen twice. Reads each timer twice, in pieces of about a hundred.
 */
public final class RedisVerification {

    private RedisVerification() {}

    /** Told how far a verification has come, on its thread. */
    @FunctionalInterface
    public interface Progress {

        /**
         * A partition was verified.
         *
         * @param done how many so far
         * @param total how many there are
         */
        void at(int done, int total);
    }

    /**
     * Something that must not be so.
     *
     * @param partition which one; empty for a key that is of none
     * @param key of Redis
     * @param field the part of the key; empty for the key as a whole. The zero byte between queue and key is shown as a slash
     * @param what is wrong
     */
    public record Finding(OptionalInt partition, String key, String field, String what) {}

    /**
     * What came of it.
     *
     * @param partitions how many there are
     * @param pending timers in slices
     * @param claimed timers in flight
     * @param dead timers that were given up
     * @param finished other timers that are remembered
     * @param slices how many are not empty
     * @param nearInserts how many wait for their owners
     * @param idleNearInserts how many of these are of no use: they name a timer that no owner has to load
     * @param restless partitions that changed too often for their counts of queues to be checked
     * @param findings what is wrong; at most {@value #MOST_FINDINGS}
     * @param moreFindings how many there are beside these
     */
    public record Report(
            int partitions,
            long pending,
            long claimed,
            long dead,
            long finished,
            long slices,
            long nearInserts,
            long idleNearInserts,
            int restless,
            List<Finding> findings,
            long moreFindings) {

        /** The most findings of a report. */
        public static final int MOST_FINDINGS = 1_000;

        public Report {
            findings = List.copyOf(findings);
        }

        /** Whether nothing is wrong. */
        public boolean isSound() {
            return findings.isEmpty();
        }
    }

    /**
     * Verifies a namespace. Blocks until it is done, which for many timers takes minutes.
     *
     * @throws io.tickwheel.store.StoreUnavailableException when Redis does not answer
     * @throws StoreException when there is no such namespace, or one of another format
     */
    public static Report verify(RedisAddress address, String namespace) {
        return verify(address, namespace, (done, total) -> {});
    }

    /** Verifies a namespace, as {@link #verify(RedisAddress, String)} does, and tells how far it has come. */
    public static Report verify(RedisAddress address, String namespace, Progress progress) {
        try (Link link = ToolLink.open(address)) {
            return verify(link, namespace, progress);
        }
    }

    static Report verify(Link link, String namespace, Progress progress) {
        CheckResult result = NamespaceCheck.check(
                new BlockingQuery(link, ToolLink.TIMEOUT), namespace, Report.MOST_FINDINGS, progress::at);
        return new Report(
                result.partitions(),
                result.pending(),
                result.claimed(),
                result.dead(),
                result.finished(),
                result.slices(),
                result.nearInserts(),
                result.idleNearInserts(),
                result.restless(),
                result.found().stream().map(RedisVerification::finding).toList(),
                result.moreFound());
    }

    private static Finding finding(Contradiction found) {
        return new Finding(found.partition(), found.key(), found.field().replace('\0', '/'), found.what());
    }
}
