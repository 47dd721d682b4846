package io.tickwheel.recurrence;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/** Another library that knows cron expressions, with six fields. */
enum Peer {
    SPRING {
        @Override
        UnaryOperator<@Nullable ZonedDateTime> parse(String expression) {
            return CronExpression.parse(expression)::next;
        }
    },
    CRON_UTILS {
        @Override
        UnaryOperator<@Nullable ZonedDateTime> parse(String expression) {
            CronDefinition syntax = CronDefinitionBuilder.instanceDefinitionFor(CronType.SPRING53);
            ExecutionTime times = ExecutionTime.forCron(new com.cronutils.parser.CronParser(syntax).parse(expression));
            return after -> times.nextExecution(after).orElse(null);
        }
    };

    /** What is to be found in place of a time where the peer throws. */
    static final long THROWS = Long.MIN_VALUE;

    private static final Map<String, String> MACROS = Map.of(
            "@hourly", "0 0 * * * *",
            "@daily", "0 0 0 * * *",
            "@midnight", "0 0 0 * * *",
            "@weekly", "0 0 0 * * 0",
            "@monthly", "0 0 0 1 * *",
            "@yearly", "0 0 0 1 1 *",
            "@annually", "0 0 0 1 1 *");

    /** Says the time after another one, null for none. */
    abstract UnaryOperator<@Nullable ZonedDateTime> parse(String expression);

    /** As {@link Cron#after}; {@link #THROWS} when the peer throws. */
    static long after(UnaryOperator<@Nullable ZonedDateTime> times, long afterMs, ZoneId zone) {
        try {
            ZonedDateTime next = times.apply(Instant.ofEpochMilli(afterMs).atZone(zone));
            return next == null ? Cron.NEVER : next.toInstant().toEpochMilli();
        } catch (RuntimeException e) {
            return THROWS;
        }
    }

    static String sixFields(String expression) {
        String resolved = MACROS.getOrDefault(expression, expression);
        return resolved.split(" ").length == 5 ? "0 " + resolved : resolved;
    }
}
