package io.tickwheel.server.http;

import io.tickwheel.engine.BulkRequest;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.LeaseFields.Action;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.TargetKinds;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Takes every request, checks its head and hands it to the call that its path and method name. For one event loop. */
public final class Api {

    private static final CharSequence METRICS_TYPE =
            HttpHeaders.createOptimized("text/plain; version=0.0.4; charset=utf-8");

    private final Vertx vertx;
    private final Readiness readiness;
    private final Supplier<String> metrics;
    private final Failures failures;
    private final TimerCalls timers;
    private final ChangeCalls changes;
    private final ListCalls lists;
    private final BulkCalls bulks;
    private final QueueCalls queues;
    private final LeaseCalls leases;
    private final TokenCalls tokens;
    private final Guard guard;
    private final BodyBudget bodies;

    /**
     * Serves whatever {@code readiness} says there is.
     *
     * @param metrics the page of {@code /metrics}, made anew at each call
     * @param kinds what targets schedules may name
     * @param guard who may make which call
     * @param traffic takes note of what goes over this
     */
    public Api(
            Vertx vertx,
            Readiness readiness,
            Supplier<String> metrics,
            RandomKeys keys,
            BodyBudget bodies,
            TargetKinds kinds,
            Guard guard,
            Traffic traffic) {
        this.vertx = vertx;
        this.guard = guard;
        this.readiness = readiness;
        this.metrics = metrics;
        this.bodies = bodies;
        this.failures = new Failures(readiness, keys, traffic);
        this.timers = new TimerCalls(readiness, keys, kinds);
        this.changes = new ChangeCalls(readiness, timers);
        this.lists = new ListCalls(readiness);
        this.bulks = new BulkCalls(readiness);
        this.queues = new QueueCalls(readiness, kinds);
        this.leases = new LeaseCalls(readiness, failures, guard);
        this.tokens = new TokenCalls(readiness, guard);
    }

    public void handle(HttpServerRequest request) {
        Exchange exchange = new Exchange(request, failures, bodies);
        Problem framing = RequestHead.check(request);
        if (framing != null) {
            exchange.refuseAndClose(framing);
            return;
        }
        try {
            dispatch(exchange);
        } catch (RuntimeException | Error e) {
            refuseUnread(exchange, failures.problem(e));
        }
    }

    /** Answers what Netty could not read as a request. The connection is closed by the server afterwards. */
    public void handleUnreadable(HttpServerRequest request) {
        new Exchange(request, failures, bodies).refuseAndClose(RequestHead.unreadable(request));
    }

    private void dispatch(Exchange exchange) {
        HttpServerRequest request = exchange.request();
        String method = method(request);
        if (method.equals("OPTIONS") && request.uri().equals("*")) {
            exchange.answerOptions(Route.ALL_METHODS);
            return;
        }
        String target = target(request);
        int mark = target.indexOf('?');
        String query = mark < 0 ? "" : target.substring(mark + 1);
        Route route = Route.of(mark < 0 ? target : target.substring(0, mark));
        Route.Resource resource = route.resource();
        if (!resource.allows(request.method())) {
            request.response().headers().set(Exchange.ALLOW, resource.allow());
            throw new Problem(
                            ProblemCode.METHOD_NOT_ALLOWED,
                            "method is " + Excerpt.of(request.method().name()) + ", must be " + resource.allow())
                    .exception();
        }
        if (method.equals("OPTIONS")) {
            exchange.answerOptions(resource.allow());
            return;
        }
        guard.admit(exchange, route, method);
        if (!takesQuery(resource, method)) {
            QueryParameters.read(query, Set.of());
        }
        if (!takesBody(resource, method) && hasBody(exchange.request())) {
            throw new Problem(ProblemCode.BODY_NOT_ALLOWED, "there is a body, must be none in this call").exception();
        }
        if (!method.equals("GET")) {
            IfMatch.checkOthers(request);
        }
        switch (resource) {
            case LIVEZ -> exchange.answer(200, status("live"));
            case READYZ -> ready(exchange);
            case OPEN_API -> exchange.answer(200, ApiDescription.TYPE, ApiDescription.BYTES);
            case METRICS -> exchange.answer(200, METRICS_TYPE, Buffer.buffer(metrics.get()));
            case TOKENS, TOKEN -> tokens(exchange, route, method);
            case QUEUES -> lists.queues(exchange, query);
            case QUEUE -> queue(exchange, route.queueName(), method, query);
            case PAUSE -> queues.pause(exchange, route.queueName());
            case RESUME -> queues.resume(exchange, route.queueName(), query);
            case DEAD -> bulks.dead(exchange, route.queueName(), query);
            case CANCEL_ALL -> bulks.start(exchange, BulkRequest.Action.CANCEL, route.queueName(), query);
            case REDRIVE_ALL -> bulks.start(exchange, BulkRequest.Action.REDRIVE, route.queueName(), query);
            case PURGE_ALL -> bulks.start(exchange, BulkRequest.Action.PURGE, route.queueName(), query);
            case BULK_RUNS -> bulks.all(exchange);
            case BULK_RUN -> bulkRun(exchange, route.timerKey(), method);
            case TIMER, PLAN_RUN -> timer(exchange, route, method, query);
            case RESCHEDULE, RUN, TOUCH, REDRIVE, PURGE -> change(exchange, route);
            case PAUSE_PLAN -> changes.pausePlan(exchange, route.queueName(), route.timerKey());
            case RESUME_PLAN -> changes.resumePlan(exchange, route.queueName(), route.timerKey());
            case PREVIEW -> lists.preview(exchange, route.queueName(), route.timerKey(), query);
            case RUNS -> lists.runs(exchange, route.queueName(), route.timerKey());
            case TIMERS -> timers(exchange, route, method, query);
            case LEASES -> withBodyOrNone(exchange, body -> leases.poll(exchange, route.queueName(), body));
            case ACK -> leases.one(exchange, Action.ACK, route.timerKey(), new byte[0]);
            case NACK -> lease(exchange, Action.NACK, route);
            case EXTEND -> lease(exchange, Action.EXTEND, route);
            case BURY -> lease(exchange, Action.BURY, route);
            case ACK_MANY -> leases(exchange, Action.ACK);
            case NACK_MANY -> leases(exchange, Action.NACK);
            case EXTEND_MANY -> leases(exchange, Action.EXTEND);
            case BURY_MANY -> leases(exchange, Action.BURY);
            case LOAD -> lists.load(exchange, route.queueName(), query);
            case BATCH ->
                withBody(
                        exchange,
                        "application/x-ndjson",
                        bodies.longestBatch(),
                        body -> new Batch(exchange, readiness.timers(), failures, timers, route.queueName(), body)
                                .run());
        }
    }

    /** A body that nobody reads might be a filter, ask for a dry run, or say how durable a cancel is to be. */
    private static boolean takesBody(Route.Resource resource, String method) {
        return switch (resource) {
            case ACK, RUN, TOUCH, PURGE, PAUSE, RESUME, PAUSE_PLAN, RESUME_PLAN, CANCEL_ALL, REDRIVE_ALL, PURGE_ALL ->
                false;
            default -> !method.equals("GET") && !method.equals("DELETE");
        };
    }

    private static boolean takesQuery(Route.Resource resource, String method) {
        return switch (resource) {
            case LOAD, QUEUES, RESUME, PREVIEW, DEAD, CANCEL_ALL, REDRIVE_ALL, PURGE_ALL -> true;
            case TIMERS -> method.equals("GET");
            case QUEUE -> method.equals("DELETE");
            case TIMER, PLAN_RUN -> method.equals("DELETE") || method.equals("GET");
            default -> false;
        };
    }

    /** What the request wants done. HEAD is a GET whose answer {@link Exchange} sends without its body. */
    private static String method(HttpServerRequest request) {
        String name = request.method().name();
        return name.equals("HEAD") ? "GET" : name;
    }

    private void timers(Exchange exchange, Route route, String method, String query) {
        if (method.equals("GET")) {
            lists.list(exchange, route.queueName(), query);
        } else {
            withBody(exchange, "application/json", Limits.BODY, body -> timers.post(exchange, route.queueName(), body));
        }
    }

    private void queue(Exchange exchange, String queue, String method, String query) {
        switch (method) {
            case "GET" -> queues.find(exchange, queue);
            case "DELETE" -> queues.delete(exchange, queue, query);
            default ->
                withBody(
                        exchange,
                        "application/json",
                        Limits.SETTINGS_BODY,
                        body -> queues.change(exchange, queue, body, method.equals("PUT")));
        }
    }

    private void timer(Exchange exchange, Route route, String method, String query) {
        String queue = route.queueName();
        String key = route.timerKey();
        switch (method) {
            case "GET" -> timers.find(exchange, queue, key, query);
            case "DELETE" -> timers.cancel(exchange, queue, key, query);
            default ->
                withBody(exchange, "application/json", Limits.BODY, body -> timers.put(exchange, queue, key, body));
        }
    }

    private void change(Exchange exchange, Route route) {
        String queue = route.queueName();
        String key = route.timerKey();
        switch (route.resource()) {
            case RUN -> changes.run(exchange, queue, key);
            case TOUCH -> changes.touch(exchange, queue, key);
            case PURGE -> changes.purge(exchange, queue, key);
            case REDRIVE -> {
                withBodyOrNone(exchange, body -> changes.redrive(exchange, queue, key, body));
            }
            default ->
                withBody(
                        exchange,
                        "application/json",
                        Limits.BODY,
                        body -> changes.reschedule(exchange, queue, key, body));
        }
    }

    private void lease(Exchange exchange, Action action, Route route) {
        withBodyOrNone(exchange, body -> leases.one(exchange, action, route.timerKey(), body));
    }

    private void leases(Exchange exchange, Action action) {
        withBody(exchange, "application/json", Limits.BODY, body -> leases.many(exchange, action, body));
    }

    private void tokens(Exchange exchange, Route route, String method) {
        tokens.checkAsked();
        switch (method) {
            case "GET" -> tokens.all(exchange);
            case "DELETE" -> tokens.revoke(exchange, route.timerKey());
            default -> withBody(exchange, "application/json", Limits.TOKEN_BODY, body -> tokens.create(exchange, body));
        }
    }

    private void bulkRun(Exchange exchange, String id, String method) {
        if (method.equals("DELETE")) {
            bulks.stop(exchange, id);
        } else {
            bulks.find(exchange, id);
        }
    }

    /** @param next given an empty body when there is none */
    private void withBodyOrNone(Exchange exchange, Consumer<byte[]> next) {
        if (hasBody(exchange.request())) {
            withBody(exchange, "application/json", Limits.BODY, next);
        } else {
            next.accept(new byte[0]);
        }
    }

    private void withBody(Exchange exchange, String type, int limit, Consumer<byte[]> next) {
        Problem content = RequestHead.checkContent(exchange.request(), type);
        if (content != null) {
            throw content.exception();
        }
        readiness.timers();
        BodyIntake.read(vertx, exchange, bodies, limit, body -> {
            // It may come long after its head.
            Problem ended = guard.ended(exchange.caller());
            if (ended != null) {
                throw ended.exception();
            }
            next.accept(body);
        });
    }

    /** The path and the query as they were sent. */
    private static String target(HttpServerRequest request) {
        String uri = request.uri();
        if (!uri.startsWith("/")) {
            String lower = uri.toLowerCase(Locale.ROOT);
            int authority = lower.startsWith("http://") ? 7 : lower.startsWith("https://") ? 8 : -1;
            int slash = authority < 0 ? -1 : uri.indexOf('/', authority);
            if (slash < 0) {
                throw new Problem(ProblemCode.UNKNOWN_PATH, "target is " + Excerpt.quoted(uri) + ", must be a path")
                        .exception();
            }
            uri = uri.substring(slash);
        }
        return uri;
    }

    /** Refuses before the body was read: small bodies are read and dropped, others end the connection. */
    private void refuseUnread(Exchange exchange, Problem problem) {
        HttpServerRequest request = exchange.request();
        if (request.isEnded() || !hasBody(request)) {
            exchange.refuse(problem);
            return;
        }
        BodyIntake.drop(vertx, exchange, bodies, problem);
    }

    private static boolean hasBody(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        return length == null ? request.getHeader("Transfer-Encoding") != null : !length.equals("0");
    }

    private void ready(Exchange exchange) {
        Problem unready = readiness.unready();
        Problem problem = unready == null ? guard.leftOpen() : unready;
        if (problem == null) {
            exchange.answer(200, status("ready"));
        } else {
            exchange.refuse(problem);
        }
    }

    private static JsonOut status(String status) {
        JsonOut out = new JsonOut(32).open('{');
        out.field("status").string(status);
        return out.close('}');
    }
}
