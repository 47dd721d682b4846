package io.tickwheel.server.targets;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import java.util.List;
import java.util.Map;

/** The log of the server, for trying out: {@code {"log": {}}}. The address is empty. */
public final class LogTargetKind implements TargetKind {

    private static final String LOG = "log";

    @Override
    public String name() {
        return LOG;
    }

    @Override
    public List<String> fields() {
        return List.of(LOG);
    }

    @Override
    public String read(TargetFields fields) {
        fields.object(LOG);
        return "";
    }

    @Override
    public Map<String, Object> write(String address) {
        return Map.of(LOG, Map.of());
    }

    @Override
    public String readSetting(String text) {
        if (!text.isEmpty()) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, "must have nothing after log");
        }
        return "";
    }

    @Override
    public String settingForm() {
        return LOG;
    }

    @Override
    public Target open(TargetOptions options) {
        return new LogTarget(options.clock());
    }
}
