package io.tickwheel.server.config;

import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.store.redis.RedisVerification;
import java.io.PrintWriter;

/** What a look through a namespace on Redis has found. */
record RedisFindings(RedisVerification.Report report) implements StoreFindings {

    @Override
    public boolean isSound() {
        return report.isSound();
    }

    @Override
    public void print(PrintWriter out) {
        report.findings().forEach(finding -> out.println(text(finding)));
        long wrong = report.findings().size() + report.moreFindings();
        out.println("read " + report.partitions() + " partitions with " + report.pending() + " pending, "
                + report.claimed() + " claimed, " + report.dead() + " dead and " + report.finished()
                + " finished timers in " + report.slices() + " slices: "
                + (report.isSound() ? "all is well" : wrong + " contradictions"));
        if (report.restless() > 0) {
            out.println("the counts of queues changed all the time in " + report.restless()
                    + " partitions and were not checked");
        }
    }

    private static String text(RedisVerification.Finding finding) {
        String place = finding.partition().isPresent()
                ? "partition " + finding.partition().getAsInt() + ", "
                : "";
        String field = finding.field().isEmpty() ? "" : ", " + finding.field();
        return Excerpt.sentence(place + finding.key() + field + ": " + finding.what());
    }

    @Override
    public JsonOut json() {
        JsonOut out = new JsonOut(1_024).open('{');
        out.field("partitions").number(report.partitions());
        out.field("pending").number(report.pending());
        out.field("claimed").number(report.claimed());
        out.field("dead").number(report.dead());
        out.field("finished").number(report.finished());
        out.field("slices").number(report.slices());
        out.field("nearInserts").number(report.nearInserts());
        out.field("idleNearInserts").number(report.idleNearInserts());
        out.field("restless").number(report.restless());
        out.field("findings").open('[');
        for (RedisVerification.Finding finding : report.findings()) {
            out.element().open('{');
            finding.partition().ifPresent(partition -> out.field("partition").number(partition));
            out.field("key").string(finding.key());
            if (!finding.field().isEmpty()) {
                out.field("field").string(finding.field());
            }
            out.field("what").string(finding.what());
            out.close('}');
        }
        out.close(']');
        out.field("moreFindings").number(report.moreFindings());
        return out.close('}');
    }
}
