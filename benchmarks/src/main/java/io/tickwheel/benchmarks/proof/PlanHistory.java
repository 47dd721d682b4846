package io.tickwheel.benchmarks.proof;

import io.tickwheel.benchmarks.BrokenPromiseException;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a server has said of the runs of one plan: looked at again and again, it must say the same. Not thread-safe. */
final class PlanHistory {

    private static final Pattern TIME = Pattern.compile("\"(\\d{4}-[^\"]*)\"");
    private static final String SEPARATOR = "\u001f";

    /** A nominal time is left out when the run before has ended so long before it at most: its end has to be noted first. */
    private static final long NOTED_MS = 1_500;

    /** A time in which a server did not run, or had just begun to. */
    record Down(long fromMs, long toMs) {

        boolean touches(long atMs) {
            return atMs >= fromMs - 2_000 && atMs <= toMs + 4_000;
        }
    }

    private record Run(String id, long dueMs) {}

    private final String plan;
    private final PlanKind kind;
    private final String path;
    private final TreeMap<Long, Run> runs = new TreeMap<>();

    PlanHistory(String queue, String plan) {
        this.plan = plan;
        this.kind = PlanKind.of(plan);
        this.path = "/v1/queues/" + queue + "/timers/" + plan;
    }

    String plan() {
        return plan;
    }

    int size() {
        return runs.size();
    }

    void schedule(HttpCalls calls, String target) throws IOException {
        calls.put(
                        path,
                        "{\"schedule\":" + kind.schedule() + ",\"target\":{\"url\":\"" + target
                                + "\"},\"retry\":{\"maxAttempts\":1000,\"interval\":\"100ms\"}}")
                .expect(201);
    }

    /** Looks which runs there are, and that there is one that follows. */
    void look(HttpCalls calls) throws IOException, BrokenPromiseException {
        lookAtRuns(calls);
        String preview = calls.get(path + "/preview?limit=2").expect(200).body();
        List<Instant> times = preview.lines()
                .flatMap(line -> TIME.matcher(line).results())
                .map(found -> Instant.parse(found.group(1)))
                .toList();
        demand(times.size() == 2 && times.get(0).isBefore(times.get(1)), "has no next run: " + preview);
        if (!runs.isEmpty()) {
            Run last = runs.lastEntry().getValue();
            demand(
                    times.get(0).toEpochMilli() > last.dueMs,
                    "is to make a second run for " + Instant.ofEpochMilli(last.dueMs) + ", that of " + last.id);
        }
        String state = Json.text(calls.get(path).expect(200).body(), "state");
        demand(state.equals("PENDING") || state.equals("CLAIMED"), "is " + state);
    }

    private void lookAtRuns(HttpCalls calls) throws IOException, BrokenPromiseException {
        String shown = calls.get(path + "/runs").expect(200).body();
        List<String> keys = Json.texts(shown, "key");
        List<String> ids = Json.texts(shown, "id");
        List<String> dues = Json.texts(shown, "dueAt");
        long last = runs.isEmpty() ? 0 : runs.lastKey();
        for (int i = keys.size() - 1; i >= 0; i--) {
            long number = number(keys.get(i));
            for (long between = last + 1; between < number; between++) {
                lookAtRun(calls, between);
            }
            note(number, ids.get(i), dues.get(i));
            last = Math.max(last, number);
        }
        demand(runs.isEmpty() || last == runs.lastKey(), "has forgotten run " + runs.lastKey());
        demand(keys.isEmpty() == runs.isEmpty(), "has forgotten its runs");
    }

    private void lookAtRun(HttpCalls calls, long number) throws IOException, BrokenPromiseException {
        HttpCalls.Reply reply = calls.get(path + "/runs/" + number);
        demand(reply.status() == 200, "has no run " + number + ", though there are later ones");
        note(number, Json.text(reply.body(), "id"), Json.text(reply.body(), "dueAt"));
    }

    /** Takes what was said of a run. */
    void note(long number, String id, String due) throws BrokenPromiseException {
        Run run = new Run(id, Instant.parse(due).toEpochMilli());
        Run known = runs.putIfAbsent(number, run);
        demand(known == null || known.equals(run), "has two runs of number " + number + ": " + known + ", " + run);
    }

    /** The number behind the separator, which is escaped in JSON. */
    private static long number(String key) {
        int at = Math.max(key.lastIndexOf(SEPARATOR), key.lastIndexOf("\\u001f") + 5);
        at = Math.max(at, key.lastIndexOf("\\u001F") + 5);
        return Long.parseLong(key.substring(at + 1));
    }

    /** Has it make no more runs; false when that is to be asked again, because the plan is claimed just now. */
    boolean pause(HttpCalls calls) throws IOException, BrokenPromiseException {
        HttpCalls.Reply reply = calls.post(path + "/pause", "").expect(200, 503);
        if (reply.status() == 503) {
            demand(Json.text(reply.body(), "code").equals("contended"), "is not to be paused: " + reply);
            return false;
        }
        lookAtRuns(calls);
        return true;
    }

    /** Whether each of its runs has been delivered and noted. */
    boolean isOver(HttpCalls calls) throws IOException {
        String shown = calls.get(path + "/runs").expect(200).body();
        return Json.texts(shown, "state").stream().allMatch("COMPLETED"::equals);
    }

    /** Holds what was said against what came. */
    void judge(List<PlanLedger.Visit> visits, List<Down> downs) throws BrokenPromiseException {
        Map<String, List<PlanLedger.Visit>> byId = visits.stream().collect(Collectors.groupingBy(PlanLedger.Visit::id));
        Map<String, Long> numbers = new HashMap<>();
        long expected = 1;
        for (Map.Entry<Long, Run> each : runs.entrySet()) {
            long number = each.getKey();
            Run run = each.getValue();
            demand(number == expected++, "has no run " + (expected - 1) + " before " + number);
            demand(numbers.put(run.id, number) == null, "has one id for two runs: " + run.id);
            demand(byId.containsKey(run.id), "made run " + number + ", " + run + ", which was never delivered");
            for (PlanLedger.Visit visit : of(run, byId)) {
                demand(visit.dueMs() == run.dueMs, "has run " + run + ", delivered as " + visit);
                demand(visit.fromMs() >= run.dueMs, "had " + run + " delivered early, " + visit);
            }
            Map.Entry<Long, Run> before = runs.lowerEntry(number);
            if (before != null) {
                follows(before.getValue(), run, byId, downs);
            }
        }
        byId.keySet().removeAll(numbers.keySet());
        demand(byId.isEmpty(), "had runs delivered that the server does not know: " + byId);
    }

    private void follows(Run before, Run run, Map<String, List<PlanLedger.Visit>> byId, List<Down> downs)
            throws BrokenPromiseException {
        demand(run.dueMs > before.dueMs, "made " + run + " behind " + before);
        List<PlanLedger.Visit> earlier = of(before, byId);
        long firstMs =
                earlier.stream().mapToLong(PlanLedger.Visit::fromMs).min().orElseThrow();
        long endMs = earlier.stream().mapToLong(PlanLedger.Visit::toMs).max().orElseThrow();
        long begunMs =
                of(run, byId).stream().mapToLong(PlanLedger.Visit::fromMs).min().orElseThrow();
        boolean isExcused = downs.stream().anyMatch(down -> down.touches(begunMs) || down.touches(firstMs));
        demand(
                !kind.isOneAtATime() || begunMs >= endMs || isExcused,
                "had " + run + " delivered while " + before + " went on");
        if (kind.periodMs() == 0) {
            demand(run.dueMs >= firstMs || isExcused, "made " + run + " before the end of " + before);
            return;
        }
        demand((run.dueMs - before.dueMs) % kind.periodMs() == 0, "made " + run + ", which is no nominal time");
        for (long atMs = before.dueMs + kind.periodMs(); atMs < run.dueMs; atMs += kind.periodMs()) {
            long leftOutMs = atMs;
            boolean isMissed = leftOutMs <= firstMs || downs.stream().anyMatch(down -> down.touches(leftOutMs));
            boolean isOverlapped = kind.isOneAtATime() && leftOutMs <= endMs + NOTED_MS;
            demand(
                    kind.mayLeaveOut() && (isMissed || isOverlapped),
                    "has no run for " + Instant.ofEpochMilli(leftOutMs) + ", between " + before + " and " + run);
        }
    }

    private static List<PlanLedger.Visit> of(Run run, Map<String, List<PlanLedger.Visit>> byId) {
        return byId.getOrDefault(run.id, List.of());
    }

    private void demand(boolean holds, String otherwise) throws BrokenPromiseException {
        if (!holds) {
            throw new BrokenPromiseException("plan " + plan + " " + otherwise);
        }
    }
}
