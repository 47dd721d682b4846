package io.tickwheel.store.redis;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.SimulatedWish.Kind;
import io.tickwheel.store.redis.SimulatedWish.Outcome;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The outside book of a simulated course: what clients asked for and were answered, what nodes were granted, and what stood under each
 * key after each call that was carried out. Each is held against the others as soon as it is known, and the fate of every timer in
 * the end. See {@link SimulatedSteps} for what a single call may do.
 */
final class RedisLedger {

    /** What stood before a timer whose key had one with a last attempt. */
    private static final int ENDING = 3;

    /** What stood before a timer whose key had a dead one. */
    private static final int DEAD = 4;

    private final RedisWorld world;
    private final SimulatedSteps steps;
    private final Map<String, List<SimulatedTimer>> histories = new TreeMap<>();
    private final List<SimulatedWish> wishes = new ArrayList<>();
    private final Map<String, SimulatedWish> schedules = new HashMap<>();

    /** The redrives and spawns that may have brought another content, by that. */
    private final Map<String, SimulatedWish> redrives = new HashMap<>();

    /** Which timer a schedule has made. */
    private final Map<String, String> idsByToken = new HashMap<>();

    private final Set<String> delivered = new HashSet<>();
    private int grants;
    private long lastDueMs;

    RedisLedger(RedisWorld world, RedisOptions options) {
        this.world = world;
        this.steps = new SimulatedSteps(options);
    }

    SimulatedSteps steps() {
        return steps;
    }

    int grants() {
        return grants;
    }

    static void check(boolean holds, String broken) {
        if (!holds) {
            throw new AssertionError(broken);
        }
    }

    // ---- what clients ask

    SimulatedWish wish(
            Kind kind,
            SimulatedLink link,
            TimerKey key,
            long dueAtMs,
            OnConflict rule,
            Durability level,
            @Nullable String expectedId) {
        int seq = world.nextSeq();
        SimulatedWish wish = new SimulatedWish(
                kind,
                link,
                key,
                "s" + seq,
                dueAtMs,
                rule,
                !level.equals(Durability.MEMORY),
                expectedId,
                seq,
                masterOf(key).generation);
        wishes.add(wish);
        if (kind == Kind.SCHEDULE) {
            schedules.put(wish.token, wish);
        }
        if (kind == Kind.REDRIVE || kind == Kind.SPAWN) {
            redrives.put(wish.token, wish);
        }
        world.note(wish.toString());
        return wish;
    }

    /** An id that a timer of a key has, or had before. */
    String anyId(TimerKey key, SplittableRandom random) {
        List<SimulatedTimer> history = historyOf(key);
        int back = random.nextInt(3);
        return history.size() <= back
                ? "none"
                : history.get(history.size() - 1 - back).id();
    }

    private SimulatedMaster masterOf(TimerKey key) {
        return world.master(world.layout.slot(world.layout.partition(Layout.field(key))));
    }

    void failed(SimulatedWish wish, boolean maybeApplied) {
        wish.outcome = maybeApplied ? Outcome.UNKNOWN : Outcome.NOT_APPLIED;
        wish.answeredSeq = world.seq();
        world.note(wish.toString());
        if (!maybeApplied && wish.kind == Kind.SCHEDULE) {
            check(!idsByToken.containsKey(wish.token), wish + " stands or stood");
        }
    }

    /** The schedule of a spawn was not carried out, as the claim was over. */
    void notMade(SimulatedWish run) {
        SimulatedCall call = world.delivering();
        if (call == null) {
            throw new AssertionError("answered without a reply: " + run);
        }
        failed(run, call.isAstray || call.master.generation != run.generation);
    }

    void answered(SimulatedWish wish, Outcome outcome, @Nullable TimerView view, Previous previous) {
        SimulatedCall call = world.delivering();
        if (call == null) {
            throw new AssertionError("answered without a reply: " + wish);
        }
        check(!wish.isAnswered(), "answered twice: " + wish);
        wish.outcome = outcome;
        wish.answeredSeq = call.seq;
        wish.view = view;
        wish.previous = previous;
        world.note(wish.toString());
        boolean isHidden = steps.forgetsSoon()
                || stoodWithin(wish, each -> each.seq() > wish.invokedSeq && each.by() == wish.link);
        wish.isHidden = isHidden
                && historyOf(wish.key).stream().noneMatch(each -> each.id().equals(wish.id()));
        if (call.isAstray) {
            // It was carried out where it does not count.
            check(!wish.isDurable, "answered by a former master: " + wish);
            wish.isVoid = true;
            return;
        }
        if (call.master.generation != wish.generation) {
            // What was so at some moment meanwhile may be lost.
            wish.isVoid = !wish.isDurable;
            return;
        }
        String id = wish.id();
        switch (outcome) {
            case MADE -> checkMade(wish, isHidden);
            case KEPT, CONFLICT ->
                check(
                        isHidden || stoodWithin(wish, each -> each.id().equals(id) && isKeptBy(wish, each)),
                        "nothing stood that it could keep: " + wish);
            case CANCELLED ->
                check(
                        isHidden || stoodWithin(wish, each -> each.id().equals(id) && each.is(TimerState.CANCELLED)),
                        "what it says was not cancelled: " + wish);
            case LAST_ATTEMPT ->
                check(
                        isHidden || stoodWithin(wish, each -> each.id().equals(id) && each.isEnding()),
                        "what it says has no last attempt that runs: " + wish);
            case TOO_LATE, FOUND ->
                check(
                        isHidden || stoodWithin(wish, each -> view != null && isAs(view, each)),
                        "what it shows did not stand: " + wish);
            case NOT_FOUND ->
                check(isHidden || stoodWithin(wish, each -> each.record() == null), "something stood: " + wish);
            case CHANGED, WRONG_STATE, OTHER -> checkChange(wish, isHidden);
            case OPEN, UNKNOWN, NOT_APPLIED -> throw new AssertionError(outcome);
        }
    }

    private void checkChange(SimulatedWish wish, boolean isHidden) {
        TimerView view = wish.view;
        check(
                isHidden || stoodWithin(wish, each -> view == null ? each.record() == null : isAs(view, each)),
                "what it shows did not stand: " + wish);
        switch (wish.outcome) {
            case CHANGED ->
                check(
                        view != null
                                && (wish.kind == Kind.PURGE
                                        ? view.state() == TimerState.DEAD
                                        : view.state() == TimerState.PENDING && view.dueAtMs() == wish.dueAtMs),
                        "it is not as it was to be: " + wish);
            case WRONG_STATE -> check(view != null && !wish.isFor(view.state()), "it could have been changed: " + wish);
            default ->
                check(
                        wish.kind == Kind.SPAWN
                                || (wish.expectedId != null
                                        && (view == null || !view.id().equals(wish.expectedId))),
                        "it was the one: " + wish);
        }
        check(
                wish.outcome == Outcome.CHANGED || !isCarriedOut(wish),
                "it was carried out, and says it was not: " + wish);
    }

    /** Whether its node has given a timer the due time that nobody else has asked for. */
    private boolean isCarriedOut(SimulatedWish wish) {
        boolean isOnlyOne = wishes.stream()
                .noneMatch(each -> each != wish && each.key.equals(wish.key) && each.dueAtMs == wish.dueAtMs);
        return isOnlyOne
                && historyOf(wish.key).stream()
                        .anyMatch(each -> each.seq() > wish.invokedSeq
                                && each.by() == wish.link
                                && each.record() != null
                                && each.record().dueAtMs() == wish.dueAtMs);
    }

    private void checkMade(SimulatedWish wish, boolean isHidden) {
        String id = wish.id();
        boolean stood = historyOf(wish.key).stream().anyMatch(each -> each.id().equals(id));
        check(isHidden, "no call of its node changed the key: " + wish);
        check(
                !stood
                        || stoodWithin(
                                wish,
                                each -> each.seq() > wish.invokedSeq
                                        && each.id().equals(id)
                                        && (each.is(TimerState.CANCELLED)
                                                || each.token().equals(wish.token)
                                                || each.token().isEmpty())),
                "it was made by another one, or at another time: " + wish);
        boolean keepsLive = wish.rule == OnConflict.KEEP || wish.rule == OnConflict.FAIL;
        boolean isBehindALastAttempt = keepsLive
                && wish.previous == Previous.CLAIMED
                && (isHidden || stoodWithin(wish, SimulatedTimer::isEnding));
        check(
                !(keepsLive || wish.rule == OnConflict.ONCE)
                        || wish.previous == Previous.NONE
                        || (keepsLive && wish.previous == Previous.DEAD)
                        || isBehindALastAttempt,
                "it has replaced what it was to keep: " + wish);
    }

    private static boolean isKeptBy(SimulatedWish wish, SimulatedTimer each) {
        TimerRecord record = each.record();
        return record != null
                && switch (wish.rule) {
                    case ONCE -> true;
                    case KEEP, FAIL -> each.isLive();
                    case EARLIEST -> each.isLive() && record.dueAtMs() <= wish.dueAtMs;
                    case LATEST -> each.isLive() && record.dueAtMs() >= wish.dueAtMs;
                    case REPLACE -> false;
                };
    }

    private static boolean isAs(TimerView view, SimulatedTimer each) {
        TimerRecord record = each.record();
        return record != null
                && each.id().equals(view.id())
                && record.state() == view.state()
                && record.version() == view.version()
                && record.attempts() == view.attempts()
                && record.attemptAtMs() == view.attemptAtMs()
                && record.dueAtMs() == view.dueAtMs()
                && record.history().equals(view.history());
    }

    /** Whether something stood so under the key of a command at any moment from when it was given to when it was answered. */
    private boolean stoodWithin(SimulatedWish wish, Predicate<SimulatedTimer> so) {
        List<SimulatedTimer> history = historyOf(wish.key);
        for (int i = history.size() - 1; i >= 0; i--) {
            SimulatedTimer each = history.get(i);
            if (each.seq() <= wish.answeredSeq && so.test(each)) {
                return true;
            }
            if (each.seq() <= wish.invokedSeq) {
                return false;
            }
        }
        return so.test(SimulatedTimer.none(0, null));
    }

    private List<SimulatedTimer> historyOf(TimerKey key) {
        return histories.computeIfAbsent(key.key(), name -> new ArrayList<>());
    }

    // ---- what calls do

    /** A call was carried out that may have changed something. */
    void executed(SimulatedMaster.Look look) {
        steps.checkOwners(look);
        Map<String, SimulatedTimer> after = new HashMap<>();
        look.records()
                .forEach((partition, records) -> records.forEach((key, bytes) ->
                        after.put(key, SimulatedTimer.read(look.call().seq, look.call().link, partition, bytes))));
        for (int partition : look.records().keySet()) {
            histories.forEach((key, history) -> {
                if (!after.containsKey(key) && partitionOf(history) == partition) {
                    after.put(key, SimulatedTimer.none(look.call().seq, look.call().link));
                }
            });
        }
        look.call().after = after;
        Map<String, SimulatedTimer> stood = new HashMap<>();
        after.forEach((key, now) -> {
            SimulatedTimer before = standing(key);
            stood.put(key, before);
            steps.checkHold(key, before, look);
            if (!now.isAs(before)) {
                world.note("    " + key + ": " + now);
                check(now.token());
                if (!now.id().equals(before.id())) {
                    made(now, before, look.call().link);
                }
                steps.judge(key, before, now, look, changesOf(key, look.call().link));
                histories.computeIfAbsent(key, name -> new ArrayList<>()).add(now);
            }
        });
        for (SimulatedWish wish : wishes) {
            if (wish.run != null && wish.link == look.call().link && wish.isUnderWay()) {
                checkStep(wish, wish.run, stood, after);
            }
        }
    }

    /** A plan comes again and its run is made by one call, or neither. */
    private void checkStep(
            SimulatedWish spawn,
            SimulatedWish run,
            Map<String, SimulatedTimer> stood,
            Map<String, SimulatedTimer> after) {
        SimulatedTimer none = SimulatedTimer.none(0, null);
        SimulatedTimer plan = after.getOrDefault(spawn.key.key(), none);
        SimulatedTimer planBefore = stood.getOrDefault(spawn.key.key(), none);
        SimulatedTimer made = after.getOrDefault(run.key.key(), none);
        SimulatedTimer madeBefore = stood.getOrDefault(run.key.key(), none);
        boolean isMade = made.token().equals(run.token) && !madeBefore.token().equals(run.token);
        boolean isMoved =
                plan.token().equals(spawn.token) && !planBefore.token().equals(spawn.token);
        check(!isMade || !plan.isAs(planBefore), "a run was made, and its plan stays as it is: " + spawn);
        boolean isThere = madeBefore.isLive() || made.isLive() || !made.isAs(madeBefore);
        check(!isMoved || isThere || steps.forgetsSoon(), "a plan comes again, and there is no run: " + spawn);
    }

    /** The changes of a key that a call of a node may carry out. */
    private List<SimulatedWish> changesOf(String key, SimulatedLink link) {
        return wishes.stream()
                .filter(wish -> wish.link == link
                        && wish.isUnderWay()
                        && wish.key.key().equals(key)
                        && switch (wish.kind) {
                            case RESCHEDULE, REDRIVE, PURGE, SPAWN -> true;
                            case SCHEDULE, CANCEL, FIND -> false;
                        })
                .toList();
    }

    private static int partitionOf(List<SimulatedTimer> history) {
        for (SimulatedTimer each : history) {
            if (!each.id().isEmpty()) {
                return (int) (Long.parseLong(each.id(), 16) % Layout.MAX_PARTITIONS);
            }
        }
        return -1;
    }

    private SimulatedTimer standing(String key) {
        List<SimulatedTimer> history = histories.getOrDefault(key, List.of());
        return history.isEmpty() ? SimulatedTimer.none(0, null) : history.get(history.size() - 1);
    }

    private void check(String token) {
        SimulatedWish wish = schedules.getOrDefault(token, redrives.get(token));
        check(token.isEmpty() || wish != null, "nobody asked for " + token);
        check(wish == null || wish.outcome != Outcome.NOT_APPLIED, "it was refused, and stands: " + wish);
    }

    /** A timer of a schedule stands: no other one must have come of it. */
    private void made(SimulatedTimer timer, SimulatedTimer standing, SimulatedLink by) {
        SimulatedWish wish = schedules.get(timer.token());
        if (wish == null) {
            return;
        }
        String before = idsByToken.putIfAbsent(wish.token, timer.id());
        check(before == null || before.equals(timer.id()), "it was carried out twice: " + wish + ", as " + timer);
        check(wish.link == by, "another node has carried it out: " + wish);
        check(
                wish.expectedId == null || wish.expectedId.equals(standing.id()),
                "it has taken the place of another one: " + wish);
        TimerRecord record = timer.record();
        if (record != null) {
            boolean keeps = wish.rule == OnConflict.KEEP || wish.rule == OnConflict.FAIL;
            check(
                    !keeps || record.previous() == 0 || record.previous() == ENDING || record.previous() == DEAD,
                    "it has replaced what it was to keep: " + wish);
            check(wish.rule != OnConflict.ONCE || record.version() == 1, "a key was used twice: " + wish);
        }
    }

    // ---- failovers

    /** All that a master has carried out after that is lost; nobody was told of what was to be durable. */
    void failedOver(SimulatedMaster master, int lastSeq, Map<Integer, Map<String, byte[]>> records) {
        for (List<SimulatedTimer> history : histories.values()) {
            int partition = partitionOf(history);
            if (master.partitions.contains(partition)) {
                history.removeIf(each -> each.seq() > lastSeq);
            }
        }
        for (SimulatedWish wish : wishes) {
            if (masterOf(wish.key) == master && !wish.isDurable && wish.isAnswered() && wish.answeredSeq > lastSeq) {
                wish.isVoid = true;
            }
        }
        rebuild();
        records.forEach((partition, all) -> all.forEach((key, bytes) -> {
            SimulatedTimer replicated = SimulatedTimer.read(lastSeq, null, partition, bytes);
            check(
                    standing(key).isAs(replicated),
                    "the simulation is wrong: the replica has " + replicated + " for " + key + ", the ledger "
                            + standing(key));
        }));
    }

    private void rebuild() {
        idsByToken.clear();
        steps.forgetTokens();
        histories.forEach((key, history) -> {
            SimulatedTimer before = SimulatedTimer.none(0, null);
            for (SimulatedTimer each : history) {
                if (!each.token().isEmpty() && schedules.containsKey(each.token())) {
                    idsByToken.putIfAbsent(each.token(), each.id());
                }
                steps.noteToken(before, each);
                before = each;
            }
        });
    }

    // ---- what nodes are granted

    void granted(SimulatedLink link, ClaimedTimer claimed) {
        grants++;
        SimulatedCall call = world.delivering();
        if (call == null) {
            throw new AssertionError("granted without a reply: " + claimed.view());
        }
        TimerView view = claimed.view();
        world.note("    granted to " + link.node + ": " + view.key().key() + " " + view.id() + " attempt "
                + view.attempts());
        delivered.add(view.id());
        if (call.isAstray) {
            check(!call.isDurable, "granted by a former master: " + view);
            return;
        }
        SimulatedTimer after = call.after.getOrDefault(view.key().key(), SimulatedTimer.none(0, null));
        // By the same call, as the claim was repeated.
        boolean isReplaced = after.record() == null
                ? steps.forgetsSoon()
                : !after.id().equals(view.id()) && isYounger(after.id(), view.id());
        check(
                isReplaced || (after.is(TimerState.CLAIMED) && isAs(view, after)),
                link.node + " was granted " + view + ", and there stood " + after);
        checkIsWanted(view, call);
    }

    private static boolean isYounger(String id, String other) {
        return Long.parseLong(id, 16) > Long.parseLong(other, 16);
    }

    /** Neither cancelled nor replaced, as far as anybody was told before the claim was carried out. */
    private void checkIsWanted(TimerView view, SimulatedCall call) {
        for (SimulatedWish wish : wishes) {
            if (!wish.key.equals(view.key()) || wish.isUncertain() || wish.answeredSeq >= call.seq) {
                continue;
            }
            check(
                    !wish.isTaken() || !wish.id().equals(view.id()),
                    "granted after it was cancelled: " + view + " by " + wish);
            check(
                    wish.outcome != Outcome.MADE || !isYounger(wish.id(), view.id()),
                    "granted after it was replaced: " + view + " by " + wish);
        }
    }

    // ---- the end

    boolean isDrained() {
        return histories.keySet().stream().noneMatch(key -> mustEnd(standing(key)));
    }

    private static boolean mustEnd(SimulatedTimer timer) {
        return timer.isLive() || timer.isEnding();
    }

    /** All is well from now on. */
    void healed(long nowMs) {
        lastDueMs = nowMs;
    }

    /** When the last of those was due that were to be delivered since all is well. */
    long lastDueMs() {
        for (String key : histories.keySet()) {
            TimerRecord record = standing(key).record();
            if (record != null && mustEnd(standing(key))) {
                lastDueMs = Math.max(lastDueMs, record.attemptAtMs());
            }
        }
        return lastDueMs;
    }

    /** What is still to come to its end. */
    String live() {
        StringBuilder live = new StringBuilder();
        histories.keySet().forEach(key -> {
            if (mustEnd(standing(key))) {
                live.append(key).append(": ").append(standing(key)).append("; ");
            }
        });
        return live.toString();
    }

    /** Holds what became of every timer against what was asked for. */
    void judge() {
        for (SimulatedWish wish : wishes) {
            if (wish.kind == Kind.SCHEDULE
                    && wish.outcome == Outcome.MADE
                    && !wish.isVoid
                    && !delivered.contains(wish.id())) {
                judgeFate(wish);
            }
        }
        histories.forEach(this::judgeCancels);
    }

    private void judgeFate(SimulatedWish wish) {
        List<SimulatedTimer> history = historyOf(wish.key);
        int last = -1;
        for (int i = 0; i < history.size(); i++) {
            last = history.get(i).id().equals(wish.id()) ? i : last;
        }
        if (last < 0) {
            check(wish.isHidden, "lost: " + wish);
            return;
        }
        SimulatedTimer end = history.get(last);
        if (end.is(TimerState.CANCELLED)) {
            check(isCancelled(wish.key, wish.id()), "cancelled by nobody: " + wish);
            return;
        }
        check(
                (end.isLive() || end.isEnding()) && last + 1 < history.size(),
                "ended without having been delivered: " + wish + ", " + end);
        SimulatedTimer following = history.get(last + 1);
        SimulatedWish next = schedules.get(following.token());
        // What stood in between, within one call, is not known.
        boolean isNext = following.record() != null
                && end.record() != null
                && following.record().version() == end.record().version() + 1;
        boolean isReplaced = !isNext
                || next == null
                || next.isUncertain()
                || next.previous == Previous.PENDING
                || next.previous == Previous.CLAIMED;
        check(isReplaced || isCancelled(wish.key, wish.id()), "gone: " + wish + ", then came " + next);
    }

    private boolean isCancelled(TimerKey key, String id) {
        return wishes.stream()
                .anyMatch(wish -> wish.kind == Kind.CANCEL
                        && wish.key.equals(key)
                        && (wish.isUncertain() || (wish.isTaken() && wish.id().equals(id))));
    }

    /** A cancel ends one timer. */
    private void judgeCancels(String key, List<SimulatedTimer> history) {
        Set<String> cancelled = new HashSet<>();
        history.stream().filter(each -> each.is(TimerState.CANCELLED)).forEach(each -> cancelled.add(each.id()));
        int uncertain = 0;
        for (SimulatedWish wish : wishes) {
            if (wish.kind == Kind.CANCEL && wish.key.key().equals(key)) {
                uncertain += wish.isUncertain() ? 1 : 0;
                if (wish.isTaken()) {
                    cancelled.remove(wish.id());
                }
            }
        }
        check(cancelled.size() <= uncertain, "cancelled by nobody: " + cancelled + " of " + key);
    }
}
