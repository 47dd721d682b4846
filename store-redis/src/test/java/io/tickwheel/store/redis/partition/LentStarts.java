package io.tickwheel.store.redis.partition;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.LimitGrant;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.SharedLimits;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerStore;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.MemoryTimerStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A store of a node that has its timers to itself, and shares the limits of its queues with other nodes: the real script on a real server decides, at the time
 * of a manual clock, and its answers come after a while. Each can be cut off.
 */
final class LentStarts implements SharedLimits {

    private static final Duration WAY = Duration.ofMillis(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final RedisServer server;
    private final ManualClock clock;
    private final String node;
    private final Map<String, LimitScript> scripts;
    private final ArrayDeque<Reply> replies = new ArrayDeque<>();
    private int number;

    /** Whether nothing gets to the server. */
    boolean isCutOff;

    /** Whether replies do not get back. */
    boolean losesReplies;

    /** Questions that were asked. */
    int asked;

    private record Reply(long atNanos, Runnable given) {}

    /** @param scripts those of all nodes, by queue */
    LentStarts(RedisServer server, ManualClock clock, String node, Map<String, LimitScript> scripts) {
        this.server = server;
        this.clock = clock;
        this.node = node;
        this.scripts = scripts;
    }

    static Map<String, LimitScript> scripts() {
        return new TreeMap<>();
    }

    /** A store in memory that has these limits. */
    TimerStore store() {
        MemoryTimerStore store = new MemoryTimerStore();
        return (context, listener) -> {
            Calendar calendar = store.open(context, listener);
            return (Calendar) Proxy.newProxyInstance(
                    Calendar.class.getClassLoader(), new Class<?>[] {Calendar.class}, (proxy, method, arguments) -> {
                        try {
                            Object answer =
                                    method.getName().equals("limits") ? this : method.invoke(calendar, arguments);
                            return switch (method.getName()) {
                                case "work" -> (int) answer + deliver();
                                case "idleNanos" -> Math.min((long) answer, idleNanos());
                                case "isQuiet" -> (boolean) answer && replies.isEmpty();
                                default -> answer;
                            };
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        };
    }

    private int deliver() {
        int given = 0;
        while (!replies.isEmpty() && replies.getFirst().atNanos - clock.monoNanos() <= 0) {
            replies.remove().given.run();
            given++;
        }
        return given;
    }

    private long idleNanos() {
        return replies.isEmpty() ? Long.MAX_VALUE : Math.max(0, replies.getFirst().atNanos - clock.monoNanos());
    }

    @Override
    public void ask(LimitRequest request, Answer<LimitGrant> answer) {
        asked++;
        if (isCutOff) {
            question(request).lost();
            later(TIMEOUT, () -> answer.fail(new StoreUnavailableException("cut off", false)));
            return;
        }
        LimitGrant grant = grant(request);
        if (losesReplies) {
            later(TIMEOUT, () -> answer.fail(new StoreUnavailableException("lost", true)));
        } else {
            later(WAY, () -> answer.accept(grant));
        }
    }

    private void later(Duration way, Runnable given) {
        replies.add(new Reply(clock.monoNanos() + way.toNanos(), given));
    }

    private LimitScript.Ask question(LimitRequest request) {
        LimitScript script = scripts.computeIfAbsent(request.queue(), queue -> new LimitScript(server, queue));
        return script.ask(node).number(++number).unused(request.unused());
    }

    private LimitGrant grant(LimitRequest request) {
        LimitScript.Ask ask = question(request);
        if (losesReplies) {
            ask.withReplyLost();
        }
        if (request.concurrency() != null) {
            ask.slots(request.concurrency(), request.running(), request.kept(), request.slots());
        }
        if (request.perSecond() != null) {
            ask.tokens(request.perSecond(), request.burst(), request.tokens());
        }
        LimitScript.Lent lent = Objects.requireNonNull(ask.at(ChronoUnit.MICROS.between(Instant.EPOCH, clock.now())));
        return new LimitGrant(
                Math.toIntExact(lent.slots()),
                LimitScript.HOLD_MS * 1_000_000,
                Math.toIntExact(lent.tokens()),
                lent.atOnce(),
                lent.againMicros() * 1_000);
    }
}
