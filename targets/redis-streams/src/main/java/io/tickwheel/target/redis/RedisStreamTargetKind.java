package io.tickwheel.target.redis;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
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

    private static final String NOT_ALLOWED = "destination_not_allowed";

    private final @Nullable StreamNames names;

    /** One that takes every name of a stream, for tools that deliver nothing; connects to nobody. */
    public RedisStreamTargetKind() {
        this(null);
    }

    private RedisStreamTargetKind(@Nullable StreamNames names) {
        this.names = names;
    }

    /** One that refuses streams too which these options do not allow; that of the queue is only known at the attempt. */
    @Override
    public TargetKind configured(Map<String, String> settings) {
        return new RedisStreamTargetKind(StreamNames.read(settings));
    }

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
        String refusal = refusal(stream);
        if (refusal != null) {
            throw wish.invalid(STREAM, NOT_ALLOWED, refusal);
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
        StreamAddress address = StreamAddress.ofSetting(text);
        String refusal = refusal(address.stream());
        if (refusal != null) {
            throw new InvalidTargetException(NOT_ALLOWED, refusal);
        }
        return address.toString();
    }

    private @Nullable String refusal(String stream) {
        return names == null || stream.isEmpty() ? null : names.refusal(stream);
    }

    @Override
    public String settingForm() {
        return "redis-streams and, if wanted, a stream, and ~N or =N for how many entries it keeps";
    }

    @Override
    public List<KindOption> options() {
        return ServerOptions.OPTIONS;
    }

    /** Connects with the first attempt; without an address of a server, each attempt fails. */
    @Override
    public Target open(TargetOptions options) {
        ServerOptions servers = ServerOptions.read(options);
        StreamNames allowed = StreamNames.read(options.settings());
        if (servers.uris().isEmpty()) {
            return (attempt, delivery) -> delivery.fail("targets.redis-streams.uri is not set");
        }
        return StreamTarget.open(new Dialer(servers), servers, allowed);
    }
}
