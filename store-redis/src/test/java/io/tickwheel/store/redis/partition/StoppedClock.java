package io.tickwheel.store.redis.partition;

import io.tickwheel.store.redis.link.Script;

/** Scripts for which the clock of the server stands still. What they publish they write into a list instead. */
final class StoppedClock {

    /** Late in its second and in its millisecond, where whoever counts wrongly is off. */
    static final long MICROS = 1_700_000_000_999_998L;

    static final long MS = MICROS / 1_000;
    static final String PUBLISHED = "published";

    private static final String CLOCK = """
            local real = redis
            local redis = {}
            function redis.call(command, ...)
              return command == 'TIME' and {'1700000000', '999998'} or real.call(command, ...)
            end
            function redis.pcall(command, ...)
              if command == 'PUBLISH' then
                return real.call('RPUSH', 'published', ...)
              end
              return real.pcall(command, ...)
            end
            """;

    private StoppedClock() {}

    static String source(Script script) {
        return CLOCK + script.source();
    }
}
