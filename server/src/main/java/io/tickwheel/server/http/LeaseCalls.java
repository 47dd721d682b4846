package io.tickwheel.server.http;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseIds;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.access.Caller;
import io.tickwheel.server.audit.AuditCount;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.LeaseFields;
import io.tickwheel.server.wire.LeaseFields.Action;
import io.tickwheel.server.wire.LeaseFields.Ask;
import io.tickwheel.server.wire.LeaseJson;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemException;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The calls of consumers that lease timers. */
final class LeaseCalls {

    private static final byte[] NOTHING_SAID = {'{', '}'};

    private final Readiness readiness;
    private final Failures failures;
    private final Guard guard;

    LeaseCalls(Readiness readiness, Failures failures, Guard guard) {
        this.readiness = readiness;
        this.failures = failures;
        this.guard = guard;
    }

    void poll(Exchange exchange, String queue, byte[] body) {
        TimerCalls.checkNames(queue, "any");
        LeaseRequest request = LeaseFields.poll(queue, body.length == 0 ? NOTHING_SAID : body);
        // It may wait for a minute, with a body that is mostly blanks.
        exchange.release();
        Tickwheel timers = readiness.timers();
        CompletableFuture<List<Lease>> answer = timers.lease(request);
        exchange.request().response().closeHandler(closed -> answer.cancel(false));
        var unused = answer.whenComplete((leases, failure) -> {
            if (answer.isCancelled()) {
                // Nobody reads it, but the exchange gives back what it holds.
                exchange.answer(200, LeaseJson.of(List.of()));
            } else if (failure != null) {
                exchange.refuse(failures.problem(failure));
            } else {
                exchange.attempt(() -> answer(exchange, timers, leases));
            }
        });
    }

    /** Answers with as many leases as there is room for, and gives the others back, or all to who has lost his token while he waited; with one at least when no other answer is in the way, or a large one would be refused for ever. */
    private void answer(Exchange exchange, Tickwheel timers, List<Lease> leases) {
        Problem ended = guard.ended(exchange.caller());
        if (ended != null) {
            timers.giveBack(leases);
            exchange.refuse(ended);
            return;
        }
        int count = exchange.fitting(leases.stream()
                .mapToLong(lease -> lease.attempt().payload().length)
                .toArray());
        if (count < leases.size()) {
            timers.giveBack(leases.subList(count, leases.size()));
        }
        if (count == 0 && !leases.isEmpty()) {
            exchange.refuse(exchange.tooMuchUnread());
        } else {
            exchange.answer(200, LeaseJson.of(leases.subList(0, count)));
        }
    }

    /** What is asked of the lease that the path names. */
    void one(Exchange exchange, Action action, String lease, byte[] body) {
        checkSeen(exchange, lease);
        Ask ask = body.length == 0 ? Ask.NOTHING : LeaseFields.ask(action, false, body);
        LeaseFields.checkComplete(action, ask);
        exchange.await(
                call(readiness.timers(), action, lease, ask),
                result -> exchange.answer(200, LeaseJson.taken(lease, result instanceof Instant until ? until : null)));
    }

    /** What is asked of the leases that the body names: each on its own, with a result of its own. */
    void many(Exchange exchange, Action action, byte[] body) {
        Ask ask = LeaseFields.ask(action, true, body);
        Tickwheel timers = readiness.timers();
        exchange.hasParts(ask.leases().size());
        Results results = new Results(exchange, ask.leases());
        for (int i = 0; i < ask.leases().size(); i++) {
            int place = i;
            String lease = ask.leases().get(i);
            try {
                checkSeen(exchange, lease);
            } catch (ProblemException e) {
                results.set(place, e.problem());
                continue;
            }
            var unused = call(timers, action, lease, ask).whenComplete((result, failure) -> {
                results.set(place, failure != null ? failures.problem(failure) : result);
            });
        }
    }

    /** The id of a lease says of which queue it is; what is no id is no lease of any queue. */
    private static void checkSeen(Exchange exchange, String lease) {
        Caller caller = exchange.caller();
        if (!caller.seesAll()) {
            LeaseIds.queueOf(lease).ifPresent(queue -> Guard.checkQueue(caller, queue));
        }
    }

    /** Completes with when the lease expires, where that is asked, and else with its id. */
    private static CompletableFuture<?> call(Tickwheel timers, Action action, String lease, Ask ask) {
        return switch (action) {
            case ACK -> timers.acknowledge(lease).thenApply(done -> lease);
            case NACK ->
                (ask.delay() == null ? timers.nack(lease, ask.reason()) : timers.nack(lease, ask.delay(), ask.reason()))
                        .thenApply(done -> lease);
            case BURY -> timers.bury(lease, ask.reason()).thenApply(done -> lease);
            case EXTEND -> timers.extend(lease, Objects.requireNonNull(ask.ttl()));
        };
    }

    /** What became of several leases; answered when all is known. */
    private static final class Results {

        private final Exchange exchange;
        private final List<String> leases;
        private final Object[] results;
        private int unanswered;

        Results(Exchange exchange, List<String> leases) {
            this.exchange = exchange;
            this.leases = leases;
            this.results = new Object[leases.size()];
            this.unanswered = leases.size();
        }

        void set(int place, Object result) {
            results[place] = result;
            unanswered--;
            if (unanswered == 0) {
                exchange.attempt(this::answer);
            }
        }

        private void answer() {
            JsonOut out = new JsonOut(32 + 128 * results.length).open('{');
            out.field("results").open('[');
            for (int i = 0; i < results.length; i++) {
                LeaseJson.writeResult(out, leases.get(i), results[i]);
            }
            exchange.counts(count());
            exchange.answer(200, out.close(']').close('}'));
        }

        private AuditCount count() {
            int refused = 0;
            Set<String> queues = new LinkedHashSet<>();
            for (int i = 0; i < results.length; i++) {
                refused += results[i] instanceof Problem ? 1 : 0;
                LeaseIds.queueOf(leases.get(i)).ifPresent(queues::add);
            }
            return new AuditCount(results.length - refused, refused, List.copyOf(queues));
        }
    }
}
