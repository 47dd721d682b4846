package io.tickwheel.server.targets;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;

/**
 * Finds the addresses of names. One look-up of a name is under way at a time, and all who ask wait for it; what it found is kept for a fixed
 * while, whatever the name server says, and a failure for a second. The names that are kept are bounded, and so are the look-ups, in number
 * and in time: as many more are there for names that had addresses when they were looked up last, so that names which never answer keep nobody from these. Of one event loop.
 */
final class NameLookups {

    static final int MOST_KEPT = 4_096;
    private static final long FAILURE_KEPT_MS = 1_000;

    private final Vertx vertx;
    private final Context context;
    private final NameServers servers;
    private final long keptMs;
    private final int mostUnderWay;
    private final Map<String, Future<List<InetAddress>>> underWay = new HashMap<>();

    /** The one that was used longest ago comes first. */
    private final LinkedHashMap<String, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);

    /** The names that had addresses when they were looked up last; the one for which that is longest ago comes first. */
    private final LinkedHashSet<String> found = new LinkedHashSet<>();

    /**
     * Looks nothing up yet.
     *
     * @param context the event loop that this belongs to
     * @param servers closed with this
     * @param keptMs how long what was found is kept
     * @param most how many look-ups may be under way of names that were not found before
     */
    NameLookups(Vertx vertx, Context context, NameServers servers, long keptMs, int most) {
        this.vertx = vertx;
        this.context = context;
        this.servers = servers;
        this.keptMs = keptMs;
        this.mostUnderWay = most;
    }

    private record Kept(Future<List<InetAddress>> answer, long timer) {}

    /**
     * Gives the addresses at once where they are kept. Fails with {@link UnknownHostException} for a name that has none, with {@link
     * RejectedExecutionException} where that cannot be found out now, and with what {@link OpenFiles} knows where there is no socket for it.
     */
    Future<List<InetAddress>> find(String name) {
        Kept known = kept.get(name);
        if (known != null) {
            return known.answer;
        }
        Future<List<InetAddress>> running = underWay.get(name);
        if (running != null) {
            return running;
        }
        return underWay.size() < (found.contains(name) ? 2 * mostUnderWay : mostUnderWay)
                ? lookUp(name)
                : Future.failedFuture(new RejectedExecutionException("too many look-ups are under way"));
    }

    private Future<List<InetAddress>> lookUp(String name) {
        Promise<List<InetAddress>> answer = Promise.promise();
        underWay.put(name, answer.future());
        servers.ask(
                name,
                asked -> context.runOnContext(go -> {
                    underWay.remove(name);
                    note(name, asked.isSuccess());
                    keep(name, asked.isSuccess() ? keptMs : FAILURE_KEPT_MS, answer.future());
                    if (asked.isSuccess()) {
                        answer.complete(List.copyOf(asked.getNow()));
                    } else {
                        answer.fail(
                                OpenFiles.areTooMany(asked.cause()) ? asked.cause() : new UnknownHostException(name));
                    }
                }));
        return answer.future();
    }

    private void note(String name, boolean hasAddresses) {
        found.remove(name);
        if (hasAddresses) {
            found.add(name);
        }
        if (found.size() > MOST_KEPT) {
            found.remove(found.iterator().next());
        }
    }

    private void keep(String name, long ms, Future<List<InetAddress>> answer) {
        if (ms == 0) {
            return;
        }
        kept.put(name, new Kept(answer, vertx.setTimer(ms, id -> kept.remove(name))));
        if (kept.size() > MOST_KEPT) {
            Map.Entry<String, Kept> oldest = kept.entrySet().iterator().next();
            vertx.cancelTimer(oldest.getValue().timer);
            kept.remove(oldest.getKey());
        }
    }

    /** How many names are kept. */
    int kept() {
        return kept.size();
    }

    /** How many look-ups are under way. */
    int underWay() {
        return underWay.size();
    }

    /** May be called by any thread. */
    void close() {
        servers.close();
    }
}
