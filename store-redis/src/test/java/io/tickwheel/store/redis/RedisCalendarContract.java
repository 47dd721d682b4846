package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.testkit.CalendarContract;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The contract on a real Redis. A lease is a minute, and is made to run out by hand when a process dies: so no test depends on
 * how fast the machine is.
 */
abstract class RedisCalendarContract extends CalendarContract {

    private static final int PARTITIONS = 5;
    private static final AtomicLong NAMESPACES = new AtomicLong();

    private final List<GatedLink> links = new ArrayList<>();
    private final AtomicLong random = new AtomicLong(1);
    private final Bell bell = new Bell();
    private String namespace = "";

    /** Where the test's servers are. */
    abstract RedisAddress address();

    /** The server that has the slot of a key. */
    abstract RedisServer serverOf(byte[] key);

    @Override
    protected Calendar open(CalendarListener listener) {
        if (namespace.isEmpty()) {
            namespace = "contract" + NAMESPACES.incrementAndGet();
        }
        RedisOptions options = RedisOptions.defaults(address())
                .withNamespace(namespace)
                .withPartitions(PARTITIONS)
                .withNode("n")
                .withLease(Duration.ofMinutes(1));
        StoreContext context = new StoreContext(
                Runnable::run,
                Runnable::run,
                bell,
                () -> random.addAndGet(0x9e3779b97f4a7c15L),
                System::nanoTime,
                nanos -> {});
        GatedLink gated = new GatedLink(CalendarOpening.link(options, context), bell);
        links.add(gated);
        return CalendarOpening.open(options, context, listener, gated, Duration.ZERO);
    }

    @Override
    protected void runBackground() {
        links.forEach(GatedLink::letThrough);
    }

    @Override
    protected void kill(Calendar calendar) {
        links.forEach(Link::close);
        links.clear();
        Layout layout = new Layout(namespace, PARTITIONS);
        for (String key : List.of("nodes", "ids")) {
            send(layout.homeKey(key), "DEL");
        }
        for (int p = 0; p < PARTITIONS; p++) {
            send(layout.key(p, "m"), "HSET", "lease", "0");
            for (Object field : (List<?>) send(layout.key(p, "f"), "ZRANGE", "0", "-1")) {
                send(layout.key(p, "f"), "ZADD", "0", (String) field);
            }
        }
    }

    @Override
    protected boolean isRecovered() {
        Layout layout = new Layout(namespace, PARTITIONS);
        for (int p = 0; p < PARTITIONS; p++) {
            if (!send(layout.key(p, "f"), "EXISTS").equals(0L)) {
                return false;
            }
        }
        return true;
    }

    private Object send(byte[] key, String command, String... rest) {
        List<String> words = new ArrayList<>(List.of(command, new String(key, StandardCharsets.UTF_8)));
        words.addAll(List.of(rest));
        return serverOf(key).command(words.toArray(String[]::new));
    }

    @Override
    protected boolean decidesAtOnce() {
        return false;
    }

    @Override
    protected int attemptAfterACrash() {
        return 2;
    }

    @Override
    protected void checkClosed() {
        links.forEach(Link::close);
        assertThat(RedisVerification.verify(address(), namespace).findings()).isEmpty();
    }
}
