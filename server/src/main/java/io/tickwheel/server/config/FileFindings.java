package io.tickwheel.server.config;

import io.tickwheel.server.wire.DamageText;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.store.file.StoreVerification;
import java.io.PrintWriter;

/** What a look through a data directory has found. */
record FileFindings(StoreVerification found) implements StoreFindings {

    @Override
    public boolean isSound() {
        return found.damages().isEmpty();
    }

    @Override
    public void print(PrintWriter out) {
        found.damages().forEach(damage -> out.println(DamageText.of(damage)));
        out.println("read " + found.segments() + " segments with " + found.logRecords() + " records and "
                + found.runs() + " runs with " + found.timers() + " timers: "
                + (isSound() ? "all is well" : found.damages().size() + " damaged places"));
    }

    @Override
    public JsonOut json() {
        JsonOut out = new JsonOut(1_024).open('{');
        out.field("segments").number(found.segments());
        out.field("logRecords").number(found.logRecords());
        out.field("runs").number(found.runs());
        out.field("timers").number(found.timers());
        out.field("damages").open('[');
        found.damages().forEach(damage -> DamageText.write(out.element(), damage));
        return out.close(']').close('}');
    }
}
