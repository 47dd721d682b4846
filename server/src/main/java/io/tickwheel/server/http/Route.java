package io.tickwheel.server.http;

import io.tickwheel.engine.TimerPlans;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.vertx.core.http.HttpMethod;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a raw path stands for. The path is split before it is decoded, so that an encoded slash is part of a key.
 *
 * @param resource what is there
 * @param queue the decoded queue name, where the resource has one
 * @param key the decoded key, or the id of a bulk run or a lease, where the resource has one
 */
record Route(
        Resource resource, @Nullable String queue, @Nullable String key) {

    enum Resource {
        LIVEZ("GET"),
        READYZ("GET"),
        METRICS("GET"),
        QUEUES("GET"),
        QUEUE("PUT, GET, PATCH, DELETE"),
        PAUSE("POST"),
        RESUME("POST"),
        TIMERS("GET, POST"),
        LOAD("GET"),
        BATCH("POST"),
        DEAD("GET"),
        CANCEL_ALL("POST"),
        REDRIVE_ALL("POST"),
        PURGE_ALL("POST"),
        BULK_RUNS("GET"),
        BULK_RUN("GET, DELETE"),
        TIMER("PUT, GET, DELETE"),
        RESCHEDULE("POST"),
        RUN("POST"),
        TOUCH("POST"),
        REDRIVE("POST"),
        PURGE("POST"),
        LEASES("POST"),
        ACK("POST"),
        NACK("POST"),
        EXTEND("POST"),
        BURY("POST"),
        ACK_MANY("POST"),
        NACK_MANY("POST"),
        EXTEND_MANY("POST"),
        BURY_MANY("POST"),
        PAUSE_PLAN("POST"),
        RESUME_PLAN("POST"),
        PREVIEW("GET"),
        RUNS("GET");

        private final String allow;

        /** @param methods beside OPTIONS, which all have, and HEAD, which comes with GET */
        Resource(String methods) {
            this.allow = methods.replace("GET", "GET, HEAD") + ", OPTIONS";
        }

        /** The methods, as the Allow header lists them. */
        String allow() {
            return allow;
        }

        /** A method is a token, so it cannot bring the separators itself. */
        boolean allows(HttpMethod method) {
            return (" " + allow + ",").contains(" " + method.name() + ",");
        }
    }

    /** The methods that some resource has. */
    static final String ALL_METHODS = "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS";

    private static final String QUEUES = "/v1/queues";
    private static final String BULK = "/v1/bulk";
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
            case "/metrics" -> new Route(Resource.METRICS, null, null);
            case QUEUES -> new Route(Resource.QUEUES, null, null);
            case BULK -> new Route(Resource.BULK_RUNS, null, null);
            case LEASES + ":ack" -> new Route(Resource.ACK_MANY, null, null);
            case LEASES + ":nack" -> new Route(Resource.NACK_MANY, null, null);
            case LEASES + ":extend" -> new Route(Resource.EXTEND_MANY, null, null);
            case LEASES + ":bury" -> new Route(Resource.BURY_MANY, null, null);
            default -> {
                if (rawPath.startsWith(BULK + "/")) {
                    yield bulkRun(rawPath);
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

    /** A run of a plan is a timer, and takes what a timer takes. */
    private static Route run(String rawPath, String queue, String key, String rest) {
        int slash = rest.indexOf('/');
        String number = slash < 0 ? rest : rest.substring(0, slash);
        boolean isNumber = number.length() <= MOST_DIGITS && number.matches("[1-9][0-9]*");
        if (!isNumber) {
            throw unknown(rawPath);
        }
        Resource resource = slash < 0 ? Resource.TIMER : change(rawPath, rest.substring(slash + 1));
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
                                        + " behind a key may stand reschedule, run, touch, redrive or purge")
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

    private static Route bulkRun(String rawPath) {
        String id = rawPath.substring(BULK.length() + 1);
        if (id.isEmpty() || id.indexOf('/') >= 0) {
            throw unknown(rawPath);
        }
        return new Route(Resource.BULK_RUN, null, PathText.decode(id));
    }

    private static ProblemException unknown(String rawPath) {
        return new Problem(ProblemCode.UNKNOWN_PATH, "path is " + Excerpt.quoted(rawPath) + ", see /v1/queues")
                .exception();
    }
}
