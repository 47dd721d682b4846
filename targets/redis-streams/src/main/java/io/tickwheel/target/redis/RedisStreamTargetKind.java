package io.tickwheel.target.redis;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Redis Streams: {@code {"redisStream": {"stream": "orders", "maxLen": 100000, "approximate": true}}}. Without {@code stream} it is that of the
 * queue's name, without {@code maxLen} everything is kept.
 */
public final class RedisStreamTargetKind implements TargetKind {

    private static final String FIELD = "redisStream";
    private static final String STREAM = "stream";
    private static final String MAX_LEN = "maxLen";
    private static final String APPROXIMATE = "approximate";

    /** Connects to nobody. */
    public RedisStreamTargetKind() {}

    @Override
    public String name() {
        return "redis-streams";
    }

    @Override
    public List<String> fields() {
        return List.of(FIELD);
    }

    @Override
    public String read(TargetFields fields) {
        TargetFields wish = fields.object(FIELD, STREAM, MAX_LEN, APPROXIMATE);
        String stream = wish.text(STREAM, "");
        String rule = wish.has(STREAM) ? StreamAddress.brokenRule(stream) : null;
        if (rule != null) {
            throw wish.invalid(STREAM, InvalidTargetException.INVALID_TARGET, rule);
        }
        long maxLen = wish.has(MAX_LEN) ? wish.integer(MAX_LEN, 1, StreamAddress.MOST_ENTRIES) : 0;
        boolean approximate = wish.bool(APPROXIMATE, true);
        if (maxLen == 0 && wish.has(APPROXIMATE)) {
            throw wish.invalid(
                    APPROXIMATE,
                    InvalidTargetException.INVALID_TARGET,
                    "is there without " + MAX_LEN + ", which it is about");
        }
        return new StreamAddress(stream, maxLen, maxLen > 0 && approximate).toString();
    }

    @Override
    public @Nullable Map<String, Object> write(String text) {
        StreamAddress address = StreamAddress.parse(text);
        if (address == null) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        if (!address.stream().isEmpty()) {
            fields.put(STREAM, address.stream());
        }
        if (address.maxLen() > 0) {
            fields.put(MAX_LEN, address.maxLen());
            fields.put(APPROXIMATE, address.approximate());
        }
        return Map.of(FIELD, fields);
    }

    @Override
    public String readSetting(String text) {
        return StreamAddress.ofSetting(text).toString();
    }

    @Override
    public String settingForm() {
        return "redis-streams and, if wanted, a stream, and ~N or =N for how many entries it keeps";
    }

    @Override
    public List<String> options() {
        return ServerOptions.NAMES;
    }

    /** Begins to connect, and waits for nobody. */
    @Override
    public Target open(TargetOptions options) {
        ServerOptions servers = ServerOptions.read(options);
        return StreamTarget.open(new Dialer(servers), servers);
    }
}
