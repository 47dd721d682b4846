package io.tickwheel.server.http;

import io.tickwheel.engine.TimerPlans;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a raw path stands for. The path is split before it is decoded, so that an encoded slash is part of a key.
 *
 * @param resource what is there
 * @param queue the decoded queue name, where the resource has one
 * @param key the decoded key, or the id of a bulk run, a lease or a token, where the resource has one
 */
record Route(
        Resource resource, @Nullable String queue, @Nullable String key) {

    /**
     * What there is, and for each method the scopes of which a caller must have one. {@code open} is for everybody; OPTIONS, which all have, is too, and HEAD, which comes
     * with GET, needs what GET does.
     */
    enum Resource {
        LIVEZ("GET:open"),
        READYZ("GET:open"),
        OPEN_API("GET:open"),
        METRICS("GET:read", Reach.ALL_QUEUES),
        TOKENS("GET:admin POST:admin", Reach.ALL_QUEUES),
        TOKEN("DELETE:admin", Reach.ALL_QUEUES),
        QUEUES("GET:read", Reach.SEEN_QUEUES),
        QUEUE("PUT:admin GET:read PATCH:admin DELETE:admin"),
        PAUSE("POST:admin"),
        RESUME("POST:admin"),
        TIMERS("GET:read POST:schedule"),
        LOAD("GET:read"),
        BATCH("POST:schedule|cancel"),
        DEAD("GET:read"),
        CANCEL_ALL("POST:admin"),
        REDRIVE_ALL("POST:admin"),
        PURGE_ALL("POST:admin"),
        BULK_RUNS("GET:read", Reach.SEEN_QUEUES),
        BULK_RUN("GET:read DELETE:admin", Reach.SEEN_QUEUES),
        TIMER("PUT:schedule GET:read DELETE:cancel"),
        PLAN_RUN("GET:read DELETE:cancel"),
        RESCHEDULE("POST:schedule"),
        RUN("POST:schedule"),
        TOUCH("POST:schedule"),
        REDRIVE("POST:schedule"),
        PURGE("POST:cancel"),
        LEASES("POST:pull"),
        ACK("POST:pull", Reach.SEEN_QUEUES),
        NACK("POST:pull", Reach.SEEN_QUEUES),
        EXTEND("POST:pull", Reach.SEEN_QUEUES),
        BURY("POST:pull", Reach.SEEN_QUEUES),
        ACK_MANY("POST:pull", Reach.SEEN_QUEUES),
        NACK_MANY("POST:pull", Reach.SEEN_QUEUES),
        EXTEND_MANY("POST:pull", Reach.SEEN_QUEUES),
        BURY_MANY("POST:pull", Reach.SEEN_QUEUES),
        PAUSE_PLAN("POST:schedule"),
        RESUME_PLAN("POST:schedule"),
        PREVIEW("GET:read"),
        RUNS("GET:read");

        private final String allow;

        @SuppressWarnings("ImmutableEnumChecker") // a copy, of copies
        private final Map<String, Set<Scope>> needed;

        private final Reach reach;

        Resource(String needs) {
            this(needs, Reach.QUEUE_OF_THE_PATH);
        }

        /** @param needs the methods, each with its scopes */
        Resource(String needs, Reach reach) {
            this.reach = reach;
            List<String> methods = new ArrayList<>();
            Map<String, Set<Scope>> scopesOf = new HashMap<>();
            for (String each : needs.split(" ", -1)) {
                int colon = each.indexOf(':');
                String words = each.substring(colon + 1);
                Set<Scope> scopes = EnumSet.noneOf(Scope.class);
                if (!words.equals("open")) {
                    Stream.of(words.split("\\|", -1)).map(Scope::of).forEach(scopes::add);
                }
                methods.add(each.substring(0, colon));
                scopesOf.put(each.substring(0, colon), Set.copyOf(scopes));
            }
            this.needed = Map.copyOf(scopesOf);
            this.allow = String.join(", ", methods).replace("GET", "GET, HEAD") + ", OPTIONS";
        }

        /** The methods, as the Allow header lists them. */
        String allow() {
            return allow;
        }

        /** A method is a token, so it cannot bring the separators itself. */
        boolean allows(HttpMethod method) {
            return (" " + allow + ",").contains(" " + method.name() + ",");
        }

        /** Of which scopes a caller must have one; empty for what is open to everybody. */
        Set<Scope> needed(String method) {
            return Objects.requireNonNull(needed.get(method));
        }

        /** Whether a caller for whom only some queues exist may not make the call. */
        boolean isForAllQueues() {
            return reach == Reach.ALL_QUEUES;
        }
    }

    /** What queues a call is about. */
    private enum Reach {
        /** One, which the path names. */
        QUEUE_OF_THE_PATH,

        /** Those that exist for the caller, to which the call itself keeps. */
        SEEN_QUEUES,

        /** All, or none: only for callers for whom all exist. */
        ALL_QUEUES
    }

    /** The methods that some resource has. */
    static final String ALL_METHODS = "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS";

    private static final String QUEUES = "/v1/queues";
    private static final String BULK = "/v1/bulk";
    private static final String TOKENS = "/v1/tokens";
    private static final String LEASES = "/v1/leases";
    private static final String TIMERS = "timers";
    private static final String BATCH = "timers:batch";
    private static final String LOAD = "load";
    private static final String RUNS = "runs/";
    private static final int MOST_DIGITS = 18;

    /** @throws ProblemException when there is nothing at the path, or it cannot be read */
    static Route of(String rawPath) {
        return switch (rawPath) {
            case "/livez" -> new Route(Resource.LIVEZ, null, null);
            case "/readyz" -> new Route(Resource.READYZ, null, null);
            case "/openapi.json" -> new Route(Resource.OPEN_API, null, null);
            case "/metrics" -> new Route(Resource.METRICS, null, null);
            case QUEUES -> new Route(Resource.QUEUES, null, null);
            case BULK -> new Route(Resource.BULK_RUNS, null, null);
            case TOKENS -> new Route(Resource.TOKENS, null, null);
            case LEASES + ":ack" -> new Route(Resource.ACK_MANY, null, null);
            case LEASES + ":nack" -> new Route(Resource.NACK_MANY, null, null);
            case LEASES + ":extend" -> new Route(Resource.EXTEND_MANY, null, null);
            case LEASES + ":bury" -> new Route(Resource.BURY_MANY, null, null);
            default -> {
                if (rawPath.startsWith(BULK + "/")) {
                    yield named(Resource.BULK_RUN, rawPath, BULK);
                }
                if (rawPath.startsWith(TOKENS + "/")) {
                    yield named(Resource.TOKEN, rawPath, TOKENS);
                }
                yield rawPath.startsWith(LEASES + "/") ? lease(rawPath) : queueRoute(rawPath);
            }
        };
    }

    String queueName() {
        return Objects.requireNonNull(queue);
    }

    String timerKey() {
        return Objects.requireNonNull(key);
    }

    private static Route queueRoute(String rawPath) {
        int queueAt = QUEUES.length() + 1;
        if (!rawPath.startsWith(QUEUES + "/") || rawPath.length() == queueAt) {
            throw unknown(rawPath);
        }
        int slash = rawPath.indexOf('/', queueAt);
        if (slash < 0) {
            return new Route(Resource.QUEUE, PathText.decode(rawPath.substring(queueAt)), null);
        }
        String queue = PathText.decode(rawPath.substring(queueAt, slash));
        int second = rawPath.indexOf('/', slash + 1);
        String what = rawPath.substring(slash + 1, second < 0 ? rawPath.length() : second);
        if (second < 0) {
            return switch (what) {
                case TIMERS -> new Route(Resource.TIMERS, queue, null);
                case BATCH -> new Route(Resource.BATCH, queue, null);
                case LOAD -> new Route(Resource.LOAD, queue, null);
                case "leases" -> new Route(Resource.LEASES, queue, null);
                case "pause" -> new Route(Resource.PAUSE, queue, null);
                case "resume" -> new Route(Resource.RESUME, queue, null);
                case "dead" -> new Route(Resource.DEAD, queue, null);
                case "timers:cancel" -> new Route(Resource.CANCEL_ALL, queue, null);
                case "timers:redrive" -> new Route(Resource.REDRIVE_ALL, queue, null);
                case "timers:purge" -> new Route(Resource.PURGE_ALL, queue, null);
                default -> throw unknown(rawPath);
            };
        }
        int third = rawPath.indexOf('/', second + 1);
        String key = rawPath.substring(second + 1, third < 0 ? rawPath.length() : third);
        if (!what.equals(TIMERS) || key.isEmpty()) {
            throw unknown(rawPath);
        }
        String name = PathText.decode(key);
        if (third < 0) {
            return new Route(Resource.TIMER, queue, name);
        }
        String rest = rawPath.substring(third + 1);
        return rest.startsWith(RUNS)
                ? run(rawPath, queue, name, rest.substring(RUNS.length()))
                : new Route(ofTimer(rawPath, rest), queue, name);
    }

    /** A run of a plan is a timer, and takes what a timer takes, but that only its plan makes it. */
    private static Route run(String rawPath, String queue, String key, String rest) {
        int slash = rest.indexOf('/');
        String number = slash < 0 ? rest : rest.substring(0, slash);
        boolean isNumber = number.length() <= MOST_DIGITS && number.matches("[1-9][0-9]*");
        if (!isNumber) {
            throw unknown(rawPath);
        }
        Resource resource = slash < 0 ? Resource.PLAN_RUN : change(rawPath, rest.substring(slash + 1));
        return new Route(resource, queue, TimerPlans.runKey(key, Long.parseLong(number)));
    }

    private static Resource ofTimer(String rawPath, String what) {
        return switch (what) {
            case "pause" -> Resource.PAUSE_PLAN;
            case "resume" -> Resource.RESUME_PLAN;
            case "preview" -> Resource.PREVIEW;
            case "runs" -> Resource.RUNS;
            default -> change(rawPath, what);
        };
    }

    private static Resource change(String rawPath, String what) {
        return switch (what) {
            case "reschedule" -> Resource.RESCHEDULE;
            case "run" -> Resource.RUN;
            case "touch" -> Resource.TOUCH;
            case "redrive" -> Resource.REDRIVE;
            case "purge" -> Resource.PURGE;
            default ->
                throw new Problem(
                                ProblemCode.UNKNOWN_PATH,
                                "path is " + Excerpt.quoted(rawPath) + ", a slash in a key must be written as %2F, and"
                                        + " behind a key may stand reschedule, run, touch, redrive, purge, pause, resume,"
                                        + " preview or runs")
                        .exception();
        };
    }

    private static Route lease(String rawPath) {
        int idAt = LEASES.length() + 1;
        int slash = rawPath.indexOf('/', idAt);
        if (slash <= idAt) {
            throw unknown(rawPath);
        }
        Resource what = switch (rawPath.substring(slash + 1)) {
            case "ack" -> Resource.ACK;
            case "nack" -> Resource.NACK;
            case "extend" -> Resource.EXTEND;
            case "bury" -> Resource.BURY;
            default -> throw unknown(rawPath);
        };
        return new Route(what, null, PathText.decode(rawPath.substring(idAt, slash)));
    }

    private static Route named(Resource resource, String rawPath, String parent) {
        String id = rawPath.substring(parent.length() + 1);
        if (id.isEmpty() || id.indexOf('/') >= 0) {
            throw unknown(rawPath);
        }
        return new Route(resource, null, PathText.decode(id));
    }

    private static ProblemException unknown(String rawPath) {
        return new Problem(ProblemCode.UNKNOWN_PATH, "path is " + Excerpt.quoted(rawPath) + ", see /v1/queues")
                .exception();
    }
}
