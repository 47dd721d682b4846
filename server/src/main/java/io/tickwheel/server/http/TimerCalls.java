package io.tickwheel.server.http;

import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.InvalidNameException;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.server.wire.ContentJson;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.FieldValues;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.tickwheel.server.wire.ScheduleBody;
import io.tickwheel.server.wire.ScheduleBodyReader;
import io.tickwheel.server.wire.ShownTimer;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.server.wire.TimeText;
import io.tickwheel.server.wire.TimerJson;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls on single timers. */
final class TimerCalls {

    private static final String DURABILITY = "durability";
    private static final Set<String> CANCEL = Set.of(DURABILITY);
    private static final String CONTENT = "content";
    private static final Set<String> FIND = Set.of(CONTENT);

    private final Readiness readiness;
    private final RandomKeys keys;
    private final TargetKinds kinds;

    TimerCalls(Readiness readiness, RandomKeys keys, TargetKinds kinds) {
        this.readiness = readiness;
        this.keys = keys;
        this.kinds = kinds;
    }

    /** Reads a body, or a line of a batch, between two indexes. */
    ScheduleBody read(String queue, byte[] bytes, int from, int to, ScheduleBody.Place place) {
        return ScheduleBodyReader.read(bytes, from, to, place, kinds, () -> levels(queue));
    }

    /** @throws ProblemException when it is not known yet, right after the start, which levels the queue has */
    private @Nullable List<Duration> levels(String queue) {
        try {
            return named(queue, "", () -> readiness.timers().settingsOf(queue)).delayLevels();
        } catch (StoreUnavailableException e) {
            throw Readiness.problem(Readiness.State.RECOVERING).exception();
        }
    }

    /**
     * Holds a timer with what a body changes of it to the rules of a schedule.
     *
     * @throws ProblemException when it breaks one
     */
    void checkEdit(ScheduleBody body, TimerDetails stored) {
        body.checkEdit(stored.content(), kinds);
    }

    /** A key for a timer whose sender gives it none. */
    String newKey() {
        return keys.next();
    }

    private Durability durability() {
        return readiness.durability();
    }

    /** What is certain once a command that asks for a level, or for none, is answered. */
    private Durability durability(@Nullable Durability asked) {
        return asked == null ? durability() : asked;
    }

    void put(Exchange exchange, String queue, String key, byte[] body) {
        ScheduleBody schedule = read(queue, body, 0, body.length, ScheduleBody.Place.KEYED);
        schedule.follow(RequestTrace.of(exchange.request()));
        schedule(exchange, queue, key, schedule, IfMatch.expectedId(exchange.request()));
    }

    void post(Exchange exchange, String queue, byte[] body) {
        String idempotencyKey = idempotencyKey(exchange);
        ScheduleBody schedule = read(queue, body, 0, body.length, ScheduleBody.Place.KEYLESS);
        schedule.follow(RequestTrace.of(exchange.request()));
        if (idempotencyKey == null) {
            String made = newKey();
            exchange.makes(made);
            schedule(exchange, queue, made, schedule, null);
            return;
        }
        String key = keyOf(idempotencyKey);
        exchange.makes(key);
        long hash = hash(queue, body);
        TimerRequest request = named(queue, key, () -> schedule.toRequest(queue, key))
                .withOnConflict(OnConflict.ONCE)
                .withRequestHash(hash);
        Tickwheel timers = offering(readiness.timers(), schedule.durability());
        Durability level = durability(schedule.durability());
        exchange.await(timers.schedule(request), scheduled -> answerOnce(exchange, scheduled, hash, level));
    }

    private void schedule(
            Exchange exchange, String queue, String key, ScheduleBody schedule, @Nullable String expectedId) {
        TimerRequest wish = named(queue, key, () -> schedule.toRequest(queue, key));
        TimerRequest request = expectedId == null ? wish : wish.withExpectedId(expectedId);
        Tickwheel timers = offering(readiness.timers(), schedule.durability());
        Durability level = durability(schedule.durability());
        exchange.await(timers.schedule(request), scheduled -> answer(exchange, scheduled, level));
    }

    void find(Exchange exchange, String queue, String key, String query) {
        if (QueryParameters.read(query, FIND).flag(CONTENT)) {
            read(exchange, queue, key);
            return;
        }
        var answer = named(queue, key, () -> readiness.timers().find(queue, key));
        exchange.await(answer, found -> {
            if (found.isPresent()) {
                IfMatch.tag(exchange, found.get().id());
                exchange.answer(200, TimerJson.found(new ShownTimer(found.get(), durability())));
            } else {
                exchange.refuse(unknown(queue, key));
            }
        });
    }

    private void read(Exchange exchange, String queue, String key) {
        exchange.await(named(queue, key, () -> readiness.timers().read(queue, key)), found -> {
            if (found.isPresent()) {
                TimerDetails details = found.get();
                IfMatch.tag(exchange, details.timer().id());
                exchange.answer(200, ContentJson.found(new ShownTimer(details.timer(), durability()), details, kinds));
            } else {
                exchange.refuse(unknown(queue, key));
            }
        });
    }

    void cancel(Exchange exchange, String queue, String key, String query) {
        Durability asked = asked(QueryParameters.read(query, CANCEL));
        Tickwheel timers = offering(readiness.timers(), asked);
        Durability level = durability(asked);
        exchange.await(cancel(timers, queue, key, asked, IfMatch.expectedId(exchange.request())), cancelled -> {
            TimerView timer = cancelled.timer();
            if (isTaken(cancelled) && timer != null) {
                JsonOut out = new JsonOut(256).open('{');
                out.field("outcome").string(cancelled.outcome().name());
                TimerJson.writeFields(out, new ShownTimer(timer, level));
                IfMatch.tag(exchange, timer.id());
                exchange.answer(status(cancelled), out.close('}'));
            } else {
                exchange.refuse(notCancelled(cancelled, queue, key, level));
            }
        });
    }

    private static @Nullable Durability asked(QueryParameters parameters) {
        String text = parameters.get(DURABILITY);
        if (text == null) {
            return null;
        }
        try {
            return FieldValues.durability(text);
        } catch (IllegalArgumentException e) {
            throw parameters.refused(ProblemCode.INVALID_CHOICE, DURABILITY, e.getMessage());
        }
    }

    static CompletableFuture<Cancelled> cancel(
            Tickwheel timers, String queue, String key, @Nullable Durability asked, @Nullable String expectedId) {
        return named(queue, key, () -> timers.cancel(queue, key, new CommandOptions(expectedId, asked)));
    }

    /**
     * The same timers.
     *
     * @throws ProblemException when a level is asked for that the store does not offer
     */
    static Tickwheel offering(Tickwheel timers, @Nullable Durability asked) {
        if (asked != null && !timers.offers(asked)) {
            throw new Problem(
                            ProblemCode.DURABILITY_NOT_AVAILABLE,
                            "durability is " + asked + ", must be one that the store offers, such as "
                                    + timers.durability(),
                            DURABILITY)
                    .exception();
        }
        return timers;
    }

    /** Makes a call that checks the names; the refusal of one becomes a problem. */
    static <T> T named(String queue, String key, Supplier<T> call) {
        try {
            return call.get();
        } catch (InvalidNameException e) {
            throw invalid(e, e.part() == InvalidNameException.Part.QUEUE ? queue : key);
        }
    }

    /** @throws ProblemException when one of the names breaks its rule */
    static void checkNames(String queue, String key) {
        named(queue, key, () -> TimerRequest.after(queue, key, Duration.ZERO));
    }

    /** The refusal of a name, of which the engine says which it is. */
    static ProblemException invalid(InvalidNameException refusal, String name) {
        String word = refusal.part().word();
        return new Problem(
                        refusal.part() == InvalidNameException.Part.QUEUE
                                ? ProblemCode.INVALID_QUEUE
                                : ProblemCode.INVALID_KEY,
                        Excerpt.sentence(String.valueOf(refusal.getMessage())) + " (" + word + " "
                                + Excerpt.quoted(name) + ")",
                        word)
                .exception();
    }

    static Problem conflict(TimerView live, Durability durability) {
        return new Problem(
                ProblemCode.CONFLICT,
                "the key has a live timer due " + TimeText.format(live.dueAtMs()) + ", and onConflict is fail",
                "onConflict",
                Problem.Applied.NO,
                null,
                new ShownTimer(live, durability));
    }

    /** Whether no attempt starts any more, because of this cancel or another one. */
    static boolean isTaken(Cancelled cancelled) {
        return switch (cancelled.outcome()) {
            case CANCELLED, LAST_ATTEMPT_RUNNING -> true;
            case TOO_LATE, NOT_FOUND -> false;
        };
    }

    /** Of a cancel that was taken. */
    static int status(Cancelled cancelled) {
        return cancelled.outcome() == Cancelled.Outcome.CANCELLED ? 200 : 202;
    }

    static Problem notCancelled(Cancelled cancelled, String queue, String key, Durability durability) {
        TimerView timer = cancelled.timer();
        if (timer == null) {
            return unknown(queue, key).withOutcome(cancelled.outcome().name());
        }
        return new Problem(
                ProblemCode.TOO_LATE,
                "the timer is " + timer.state() + ", must be PENDING or CLAIMED to be cancelled",
                null,
                null,
                cancelled.outcome().name(),
                new ShownTimer(timer, durability));
    }

    static Problem unknown(String queue, String key) {
        return new Problem(
                ProblemCode.NOT_FOUND,
                "no timer is known under " + Excerpt.quoted(key) + " in queue " + Excerpt.of(queue));
    }

    private static void answer(Exchange exchange, Scheduled scheduled, Durability level) {
        if (scheduled.outcome() == Scheduled.Outcome.CONFLICT) {
            exchange.refuse(conflict(scheduled.timer(), level));
            return;
        }
        answer(exchange, status(scheduled), scheduled, scheduled.outcome(), scheduled.previous(), level);
    }

    static int status(Scheduled scheduled) {
        return scheduled.outcome() == Scheduled.Outcome.CREATED ? 201 : 200;
    }

    private static void answer(
            Exchange exchange,
            int status,
            Scheduled scheduled,
            Scheduled.Outcome outcome,
            Scheduled.Previous previous,
            Durability level) {
        IfMatch.tag(exchange, scheduled.timer().id());
        JsonOut out = new JsonOut(256).open('{');
        TimerJson.writeScheduled(out, scheduled, outcome, previous, level);
        exchange.answer(status, out.close('}'));
    }

    /** A repeat gets the answer of the first request again, for which there was no timer under the key. */
    private static void answerOnce(Exchange exchange, Scheduled scheduled, long hash, Durability level) {
        if (scheduled.requestHash() == hash) {
            answer(exchange, 201, scheduled, Scheduled.Outcome.CREATED, Scheduled.Previous.NONE, level);
            return;
        }
        exchange.refuse(new Problem(
                ProblemCode.IDEMPOTENCY_KEY_REUSED,
                "the Idempotency-Key came with another body before, must be new for each request",
                "Idempotency-Key",
                Problem.Applied.NO,
                null,
                new ShownTimer(scheduled.timer(), level)));
    }

    private static @Nullable String idempotencyKey(Exchange exchange) {
        var values = exchange.request().headers().getAll("Idempotency-Key");
        if (values.isEmpty()) {
            return null;
        }
        String value = values.get(0);
        boolean visible = value.chars().allMatch(c -> c > 0x20 && c < 0x7F);
        if (values.size() > 1 || value.isEmpty() || value.length() > Limits.IDEMPOTENCY_KEY || !visible) {
            throw new Problem(
                            ProblemCode.INVALID_IDEMPOTENCY_KEY,
                            "Idempotency-Key is " + Excerpt.quoted(value) + ", must be one value of 1 to "
                                    + Limits.IDEMPOTENCY_KEY + " visible ASCII characters",
                            "Idempotency-Key")
                    .exception();
        }
        return value;
    }

    private static String keyOf(String idempotencyKey) {
        byte[] digest = sha256().digest(idempotencyKey.getBytes(StandardCharsets.US_ASCII));
        return "idem-" + Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    }

    private static long hash(String queue, byte[] body) {
        MessageDigest digest = sha256();
        digest.update(("POST " + queue + "\n").getBytes(StandardCharsets.UTF_8));
        long hash = ByteBuffer.wrap(digest.digest(body)).getLong();
        return hash == 0 ? 1 : hash;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
