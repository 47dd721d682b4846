package io.tickwheel.store.redis;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Random commands from several nodes on a few keys, and claims by those who own them: the history of each key. The nodes are turned
 * by the scene, so that one seed gives one course as long as nothing else takes time.
 */
final class RaceScene {

    private static final Lane LANE = new Lane("q", Lane.QUEUE_ROUTE);
    private static final long[] DUE_MS = {
        DrivenNode.NOW_MS - 10, DrivenNode.NOW_MS, DrivenNode.NOW_MS + 20, DrivenNode.NOW_MS + 1_000_000
    };
    private static final int COMMANDS_OF_A_KEY = 8;

    private final SplittableRandom random;
    private final List<DrivenNode> nodes;
    private final Map<TimerKey, LinearHistory<KeyModel>> histories = new LinkedHashMap<>();
    private final List<TimerKey> keys;

    /** The last ids that somebody was told, of each key. */
    private final Map<TimerKey, Deque<String>> ids = new LinkedHashMap<>();

    private final List<Claim> claims = new ArrayList<>();
    private final List<Runnable> endings = new ArrayList<>();

    /** Claims that were to end by a step that was perhaps not made: nobody ends them any more. */
    private final Set<Integer> lost = new HashSet<>();

    private final List<Durability> levels;
    private final Runnable disturbance;
    private final Runnable pace;

    /** Commands that were given up. */
    int unknown;

    private int now;
    private int owed;
    private int names;

    /** A claim that was asked for. */
    private final class Claim {

        final DrivenNode node;
        final PendingTimer timer;
        final TimerKey key;
        final int number = ++names;
        final int called = ++now;

        @Nullable
        ClaimedTimer granted;

        boolean ended;

        Claim(DrivenNode node, PendingTimer timer) {
            this.node = node;
            this.timer = timer;
            this.key = timer.key();
        }

        boolean isHeld() {
            return granted != null && !ended;
        }
    }

    /**
     * @param keys that nothing was scheduled under before
     * @param levels that are asked for
     * @param disturbance done now and then
     * @param pace done after each turn
     */
    RaceScene(
            SplittableRandom random,
            List<DrivenNode> nodes,
            List<String> keys,
            List<Durability> levels,
            Runnable disturbance,
            Runnable pace) {
        this.random = random;
        this.nodes = nodes;
        this.keys = keys.stream().map(key -> new TimerKey(LANE.queue(), key)).toList();
        this.levels = levels;
        this.disturbance = disturbance;
        this.pace = pace;
        this.keys.forEach(key -> histories.put(key, new LinearHistory<>()));
    }

    /** Runs it; {@code calm} ends all disturbance, so that all can be answered. */
    Map<TimerKey, LinearHistory<KeyModel>> play(Runnable calm) {
        int commands = COMMANDS_OF_A_KEY * keys.size();
        while (commands > 0) {
            int dice = random.nextInt(100);
            if (dice < 30) {
                command(any(keys));
                commands--;
            } else if (dice < 45) {
                claim(any(nodes));
            } else if (dice < 55) {
                end();
            } else if (dice < 58) {
                unload(any(nodes));
            } else if (dice < 62) {
                disturbance.run();
            } else {
                turn(any(nodes));
            }
        }
        calm.run();
        settle();
        allClaimsHaveEnded();
        List<TimerKey> all = List.copyOf(histories.keySet());
        all.forEach(key -> cancel(any(nodes), key, null));
        settle();
        for (DrivenNode node : nodes) {
            all.forEach(key -> find(node, key));
        }
        settle();
        return histories;
    }

    private void turn(DrivenNode node) {
        node.turn();
        pace.run();
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /** Ends all claims, and gives all nodes turns until they have their answers. */
    private void settle() {
        do {
            claims.stream().filter(Claim::isHeld).toList().forEach(this::end);
            nodes.forEach(this::turn);
        } while (owed > 0
                || claims.stream().anyMatch(Claim::isHeld)
                || !nodes.stream().allMatch(node -> node.calendar.isQuiet()));
        endings.forEach(Runnable::run);
        endings.clear();
    }

    // ---- commands

    private void command(TimerKey key) {
        DrivenNode node = any(nodes);
        int dice = random.nextInt(14);
        if (dice < 5) {
            schedule(node, key, anyId(key));
        } else if (dice < 8) {
            cancel(node, key, anyId(key));
        } else if (dice < 12) {
            change(node, key, anyId(key));
        } else {
            find(node, key);
        }
    }

    /** Null mostly; else one that a timer of the key has, or had before. */
    private @Nullable String anyId(TimerKey key) {
        Deque<String> known = ids.get(key);
        return known == null || random.nextInt(3) > 0 ? null : any(List.copyOf(known));
    }

    private void told(TimerKey key, @Nullable TimerView view) {
        Deque<String> known = ids.computeIfAbsent(key, none -> new ArrayDeque<>(List.of("none")));
        if (view != null && !known.contains(view.id())) {
            known.addLast(view.id());
            if (known.size() > 2) {
                known.removeFirst();
            }
        }
    }

    private void schedule(DrivenNode node, TimerKey key, @Nullable String expectedId) {
        String token = "t" + ++names;
        ScheduleCommand command = new ScheduleCommand(
                key,
                DUE_MS[random.nextInt(DUE_MS.length)],
                Layout.bytes(token),
                LANE.route(),
                any(List.of(OnConflict.values())),
                KeyModel.hash(token),
                expectedId,
                any(levels));
        String text = "schedule " + token + " due " + command.dueAtMs() + ", " + command.onConflict()
                + expecting(expectedId) + ": ";
        node.calendar.schedule(
                command,
                this.<Scheduled>answer(
                        key,
                        text,
                        expectedId,
                        (model, given) -> model.schedule(command, given),
                        model -> model.schedule(command, null)));
    }

    private static String expecting(@Nullable String expectedId) {
        return expectedId == null ? "" : " in the place of " + expectedId;
    }

    private void cancel(DrivenNode node, TimerKey key, @Nullable String expectedId) {
        node.calendar.cancel(
                key,
                expectedId,
                any(levels),
                this.<Cancelled>answer(
                        key,
                        "cancel" + expecting(expectedId) + ": ",
                        expectedId,
                        (model, given) -> model.cancel(expectedId, given),
                        model -> model.cancel(expectedId, null)));
    }

    private void change(DrivenNode node, TimerKey key, @Nullable String expectedId) {
        long dueAtMs = DUE_MS[random.nextInt(DUE_MS.length)];
        ChangeCommand plain = switch (random.nextInt(5)) {
            case 0, 1 -> ChangeCommand.reschedule(key, dueAtMs);
            case 2 -> ChangeCommand.redrive(key, dueAtMs);
            case 3 -> ChangeCommand.redrive(key, dueAtMs).withContent(Layout.bytes("t" + ++names), LANE.route());
            default -> ChangeCommand.purge(key);
        };
        ChangeCommand command = new ChangeCommand(
                key, expectedId, null, plain.change(), plain.dueAtMs(), plain.content(), plain.route(), any(levels));
        node.calendar.change(
                command,
                this.<Changed>answer(
                        key,
                        command.change() + " due " + dueAtMs + expecting(expectedId) + ": ",
                        expectedId,
                        (model, given) -> model.change(command, given),
                        model -> model.change(command, null)));
    }

    private void find(DrivenNode node, TimerKey key) {
        node.calendar.find(key, this.<List<TimerView>>answer(key, "find: ", null, KeyModel::find, model -> model));
    }

    private interface Answered<T> {
        @Nullable
        KeyModel after(KeyModel before, T answer);
    }

    private <T> Answer<T> answer(
            TimerKey key,
            String text,
            @Nullable String expectedId,
            Answered<T> answered,
            LinearHistory.Step<KeyModel> unanswered) {
        int called = ++now;
        owed++;
        LinearHistory<KeyModel> history = histories.get(key);
        return new Answer<>() {
            @Override
            public void accept(T result) {
                owed--;
                if (result instanceof Scheduled scheduled) {
                    told(key, scheduled.timer());
                }
                history.add(text + result, called, ++now, model -> answered.after(model, result));
            }

            @Override
            public void fail(StoreException failure) {
                owed--;
                if (failure instanceof IdMismatchException mismatch && expectedId != null) {
                    told(key, mismatch.timer());
                    history.add(
                            text + mismatch.getMessage(),
                            called,
                            ++now,
                            model -> model.mismatch(expectedId, mismatch.timer()));
                    return;
                }
                boolean isUnknown = !(failure instanceof StoreUnavailableException known) || known.outcomeUnknown();
                if (isUnknown) {
                    unknown++;
                    history.addUnknown(text + failure.getMessage(), called, unanswered);
                }
            }
        };
    }

    // ---- claims

    private void claim(DrivenNode node) {
        List<PendingTimer> free = node.loaded.values().stream()
                .filter(timer -> timer.attachment() == null && histories.containsKey(timer.key()))
                .toList();
        if (free.isEmpty()) {
            return;
        }
        PendingTimer timer = any(free);
        Claim claim = new Claim(node, timer);
        claims.add(claim);
        timer.attach(claim);
        node.calendar.claim(timer, granted -> {
            node.loaded.remove(claim.key.key());
            claim.granted = granted;
            granted(claim, granted);
        });
    }

    private void granted(Claim claim, ClaimedTimer granted) {
        int number = claim.number;
        long wantedMs = claim.timer.attemptAtMs();
        int returned = ++now;
        LinearHistory<KeyModel> history = histories.get(claim.key);
        history.add(
                "claim " + number + ": " + granted.view(),
                claim.called,
                returned,
                model -> model.claim(number, wantedMs, granted));
        claimOfAnother(claim, returned);
    }

    /** Its reply may have been lost, and what it held replaced by another timer that is due at the same time; and so again. */
    private void claimOfAnother(Claim claim, int until) {
        histories
                .get(claim.key)
                .addAnyTimes(
                        "claim " + claim.number + " of another",
                        claim.called,
                        until,
                        model -> model.claim(-claim.number, claim.timer.attemptAtMs(), null));
    }

    /** Who unloads a timer that is being claimed may have claimed it, and gives it back. */
    private void unload(DrivenNode node) {
        if (!node.loaded.isEmpty()) {
            PendingTimer timer = any(List.copyOf(node.loaded.values()));
            node.loaded.remove(timer.key().key());
            node.calendar.unload(timer);
        }
    }

    private void end() {
        List<Claim> held = claims.stream().filter(Claim::isHeld).toList();
        if (!held.isEmpty()) {
            end(any(held));
        }
    }

    private void end(Claim claim) {
        claim.ended = true;
        int number = claim.number;
        PendingTimer timer = claim.timer;
        // When the timer was replaced it changes nothing, when it was cancelled it ends, whatever the calendar says
        // here.
        switch (random.nextInt(7)) {
            case 0 -> {
                long atMs = DUE_MS[random.nextInt(DUE_MS.length)];
                PastAttempt past = anyPast();
                ending(claim, "retry at " + atMs + ", " + past, model -> model.retry(number, atMs, past));
                claim.node.calendar.retry(timer, atMs, past);
            }
            case 1 -> {
                ending(claim, "release", model -> model.release(number));
                if (claim.node.calendar.release(timer)) {
                    timer.attach(null);
                    claim.node.loaded(timer);
                }
            }
            case 2 -> {
                long atMs = DUE_MS[random.nextInt(DUE_MS.length)];
                ending(claim, "postpone to " + atMs, model -> model.postpone(number, atMs));
                claim.node.calendar.postpone(timer, atMs);
            }
            case 3 -> spawn(claim);
            default -> {
                TimerState outcome = any(List.of(TimerState.COMPLETED, TimerState.DEAD, TimerState.EXPIRED));
                PastAttempt past = anyPast();
                ending(claim, "finish " + outcome + ", " + past, model -> model.finish(number, outcome, past));
                claim.node.calendar.finish(timer, outcome, past);
            }
        }
    }

    private void spawn(Claim claim) {
        TimerKey key = new TimerKey(claim.key.queue(), claim.key.key() + SpawnCommand.SEPARATOR);
        String token = "t" + ++names;
        String runToken = "t" + ++names;
        long dueAtMs = DUE_MS[random.nextInt(DUE_MS.length)];
        ScheduleCommand run = new ScheduleCommand(
                key,
                DUE_MS[random.nextInt(DUE_MS.length)],
                Layout.bytes(runToken),
                LANE.route(),
                OnConflict.KEEP,
                KeyModel.hash(runToken),
                null);
        owed++;
        claim.node.calendar.spawn(
                new SpawnCommand(claim.timer, dueAtMs, Layout.bytes(token), run),
                new SpawnAnswer(claim, token, dueAtMs, run));
    }

    /** Of a step that is about two keys, each of which has a history of its own. */
    private final class SpawnAnswer implements Answer<Spawned> {

        private final Claim claim;
        private final String token;
        private final long dueAtMs;
        private final ScheduleCommand run;
        private final LinearHistory<KeyModel> plans;
        private final LinearHistory<KeyModel> runs;
        private final String text;
        private final int called = ++now;

        SpawnAnswer(Claim claim, String token, long dueAtMs, ScheduleCommand run) {
            this.claim = claim;
            this.token = token;
            this.dueAtMs = dueAtMs;
            this.run = run;
            this.plans = histories.get(claim.key);
            this.runs = histories.computeIfAbsent(run.key(), key -> new LinearHistory<>());
            this.text = "spawn " + claim.number + ", " + token + " due " + dueAtMs + ": ";
        }

        @Override
        public void accept(Spawned spawned) {
            owed--;
            int returned = ++now;
            plans.add(
                    text + spawned,
                    called,
                    returned,
                    model -> model.spawn(claim.number, dueAtMs, token, spawned.plan()));
            runs.add(text + spawned, called, returned, model -> model.schedule(run, spawned.run()));
        }

        @Override
        public void fail(StoreException failure) {
            owed--;
            if (failure instanceof IdMismatchException mismatch) {
                plans.add(
                        text + mismatch.getMessage(),
                        called,
                        ++now,
                        model -> model.spawnInVain(claim.number, mismatch.timer()));
                return;
            }
            lost.add(claim.number);
            if (!(failure instanceof StoreUnavailableException known) || known.outcomeUnknown()) {
                unknown++;
                String given = text + failure.getMessage();
                plans.addUnknown(given, called, model -> model.spawn(claim.number, dueAtMs, token, null));
                runs.addUnknown(given, called, model -> model.schedule(run, null));
            }
        }
    }

    private @Nullable PastAttempt anyPast() {
        return random.nextInt(3) == 0
                ? null
                : new PastAttempt(1, ++names, 2, 3, 503, "failed", names % 2 == 0 ? "" : "said " + names);
    }

    /** Nobody is told when it is carried out; it is by the time when all is quiet. */
    private void ending(Claim claim, String text, LinearHistory.Step<KeyModel> step) {
        int called = ++now;
        endings.add(() -> histories.get(claim.key).add(text + " " + claim.number, called, ++now, step));
    }

    /** What became of a claim that was not granted is not known, but for that nobody holds it in the end. */
    private void addUngranted(Claim claim) {
        LinearHistory<KeyModel> history = histories.get(claim.key);
        history.addUnknown(
                "claim " + claim.number,
                claim.called,
                model -> model.claim(claim.number, claim.timer.attemptAtMs(), null));
        history.addUnknown("give back " + claim.number, claim.called, model -> model.giveBack(claim.number));
        claimOfAnother(claim, now);
    }

    private void allClaimsHaveEnded() {
        claims.stream().filter(claim -> claim.granted == null).forEach(this::addUngranted);
        int called = ++now;
        int returned = ++now;
        histories
                .values()
                .forEach(history -> history.add(
                        "nothing is claimed",
                        called,
                        returned,
                        model -> model.claim() == 0 || lost.contains(model.claim()) ? model : null));
    }
}
