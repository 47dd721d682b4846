package io.tickwheel.store.redis.query;

import io.tickwheel.store.redis.link.Script;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of one partition. It may be asked several times, until there is an answer.
 *
 * @param script null for a plain command
 * @param command the plain command; empty for a script
 * @param answer takes what the server answered, which is always a list
 */
record QueryCall(
        int slot,
        @Nullable Script script,
        String command,
        List<byte[]> keys,
        List<byte[]> arguments,
        Consumer<List<?>> answer) {}
