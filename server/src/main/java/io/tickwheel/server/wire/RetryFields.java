package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tickwheel.engine.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A retry policy as it is written in bodies and in the configuration: {@code backoff} for delays that grow, {@code interval} for the same
 * one each time, or {@code delays} for a list; and what may be said besides. What is not said is null. For one policy; for one thread.
 */
public final class RetryFields {

    /** Delays are of that length at least. */
    public static final Duration SHORTEST = Duration.ofMillis(1);

    private static final String OBJECT = "retry";

    private @Nullable Integer maxAttempts;
    private @Nullable Duration backoff;
    private @Nullable Duration interval;
    private @Nullable List<Duration> delays;
    private @Nullable Double factor;
    private @Nullable Duration maxBackoff;
    private @Nullable Double jitter;

    public RetryFields maxAttempts(@Nullable Integer value) {
        maxAttempts = value;
        return this;
    }

    public RetryFields backoff(@Nullable Duration value) {
        backoff = value;
        return this;
    }

    public RetryFields interval(@Nullable Duration value) {
        interval = value;
        return this;
    }

    public RetryFields delays(@Nullable List<Duration> value) {
        delays = value;
        return this;
    }

    public RetryFields factor(@Nullable Double value) {
        factor = value;
        return this;
    }

    public RetryFields maxBackoff(@Nullable Duration value) {
        maxBackoff = value;
        return this;
    }

    public RetryFields jitter(@Nullable Double value) {
        jitter = value;
        return this;
    }

    /**
     * The policy that they say.
     *
     * @throws IllegalArgumentException with the rule that they break
     */
    public RetryPolicy policy() {
        int kinds = (backoff == null ? 0 : 1) + (interval == null ? 0 : 1) + (delays == null ? 0 : 1);
        if (kinds > 1) {
            throw new IllegalArgumentException(
                    "retry has " + kinds + " of backoff, interval and delays, must have one");
        }
        if (interval != null && (factor != null || maxBackoff != null)) {
            throw new IllegalArgumentException(
                    "retry has an interval, must have neither factor nor maxBackoff with it");
        }
        if (delays != null && maxAttempts != null && maxAttempts <= delays.size()) {
            throw new IllegalArgumentException("retry has " + delays.size() + " delays and maxAttempts " + maxAttempts
                    + ", must have more attempts than delays, or no maxAttempts");
        }
        RetryPolicy policy = base();
        if (factor != null || maxBackoff != null) {
            double grows = factor == null ? policy.factor() : factor;
            policy = new RetryPolicy(
                    policy.maxAttempts(), policy.delays(), grows, maxBackoff(policy, grows), policy.jitter());
        }
        if (jitter != null) {
            policy = policy.withJitter(jitter);
        }
        return maxAttempts == null ? policy : policy.withMaxAttempts(maxAttempts);
    }

    private RetryPolicy base() {
        int attempts = RetryPolicy.DEFAULT.maxAttempts();
        if (interval != null) {
            return RetryPolicy.fixed(attempts, interval);
        }
        if (delays != null) {
            return RetryPolicy.listed(delays.toArray(Duration[]::new));
        }
        return backoff == null ? RetryPolicy.DEFAULT : RetryPolicy.exponential(attempts, backoff);
    }

    /** A list that grows behind its end has the limit of any that grows, unless it says another. */
    private Duration maxBackoff(RetryPolicy policy, double grows) {
        if (maxBackoff != null) {
            return maxBackoff;
        }
        boolean isLonger = policy.maxBackoff().compareTo(RetryPolicy.MAX_BACKOFF) > 0;
        return grows == 1 || isLonger ? policy.maxBackoff() : RetryPolicy.MAX_BACKOFF;
    }

    static RetryPolicy read(JsonParser json) throws IOException {
        FieldValues.object(json, OBJECT);
        RetryFields fields = new RetryFields();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            String field = OBJECT + "." + name;
            switch (name) {
                case "maxAttempts" ->
                    fields.maxAttempts = (int) FieldValues.integer(json, field, 1, RetryPolicy.MAX_ATTEMPTS);
                case "backoff" -> fields.backoff = FieldValues.duration(json, field, RetryPolicy.LONGEST);
                case "interval" -> fields.interval = FieldValues.duration(json, field, RetryPolicy.LONGEST);
                case "delays" -> fields.delays = durations(json, field, RetryPolicy.MAX_DELAYS, RetryPolicy.LONGEST);
                case "factor" -> fields.factor = FieldValues.number(json, field, 1, RetryPolicy.MAX_FACTOR);
                case "maxBackoff" -> fields.maxBackoff = FieldValues.duration(json, field, RetryPolicy.LONGEST);
                case "jitter" -> fields.jitter = FieldValues.number(json, field, 0, 1);
                default -> throw FieldValues.unknownField(field);
            }
        }
        try {
            return fields.policy();
        } catch (IllegalArgumentException e) {
            throw FieldValues.problem(ProblemCode.OUT_OF_RANGE, String.valueOf(e.getMessage()), OBJECT);
        }
    }

    /** An array of durations: at least one. */
    static List<Duration> durations(JsonParser json, String field, int most, Duration longest) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw FieldValues.wrongType(json, field, "an array");
        }
        List<Duration> durations = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            durations.add(FieldValues.durationInMs(json, field + "[" + durations.size() + "]", longest));
        }
        if (durations.isEmpty() || durations.size() > most) {
            throw FieldValues.problem(
                    ProblemCode.OUT_OF_RANGE,
                    field + " has " + durations.size() + " delays, must have 1 to " + most,
                    field);
        }
        return durations;
    }

    /** Writes a policy in such a way that {@link #read} gives the same one, but for delays behind which no attempt follows. */
    static void write(JsonOut out, RetryPolicy whole) {
        RetryPolicy policy = withoutUnused(whole);
        out.open('{');
        out.field("maxAttempts").number(policy.maxAttempts());
        Duration first = policy.delays().get(0);
        boolean isList = policy.delays().size() > 1;
        RetryFields fields = new RetryFields();
        if (isList) {
            fields.delays = policy.delays();
            out.field("delays").open('[');
            policy.delays().forEach(delay -> out.element().string(ms(delay)));
            out.close(']');
        } else if (policy.factor() == 1 && policy.maxBackoff().equals(first)) {
            fields.interval = first;
            out.field("interval").string(ms(first));
        } else {
            fields.backoff = first;
            out.field("backoff").string(ms(first));
        }
        RetryPolicy unsaid = fields.policy();
        if (policy.factor() != unsaid.factor()) {
            fields.factor = policy.factor();
            out.field("factor").value(policy.factor());
            unsaid = fields.policy();
        }
        if (!policy.maxBackoff().equals(unsaid.maxBackoff())) {
            out.field("maxBackoff").string(ms(policy.maxBackoff()));
        }
        if (policy.jitter() != unsaid.jitter()) {
            out.field("jitter").value(policy.jitter());
        }
        out.close('}');
    }

    /** A program may say more delays than attempts, which a body cannot. */
    private static RetryPolicy withoutUnused(RetryPolicy policy) {
        int used = Math.max(1, policy.maxAttempts() - 1);
        if (policy.delays().size() <= used) {
            return policy;
        }
        return new RetryPolicy(
                policy.maxAttempts(),
                policy.delays().subList(0, used),
                policy.factor(),
                policy.maxBackoff(),
                policy.jitter());
    }

    private static String ms(Duration duration) {
        return duration.toMillis() + "ms";
    }
}
