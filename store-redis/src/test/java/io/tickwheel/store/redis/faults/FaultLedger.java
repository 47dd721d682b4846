package io.tickwheel.store.redis.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The outside book of a fault test: every command with its answer, every call of a handler, and all that was done to nodes and
 * servers. Commands on one key come one after the other. Thread-safe.
 */
final class FaultLedger {

    private final Queue<FaultWish> wishes = new ConcurrentLinkedQueue<>();
    private final Queue<FaultDelivery> deliveries = new ConcurrentLinkedQueue<>();
    private final Queue<FaultCause> causes = new ConcurrentLinkedQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Set<String> deliveredTokens = ConcurrentHashMap.newKeySet();
    private final Map<FaultDelivery, Long> handled = new ConcurrentHashMap<>();

    /** Has a node schedule a timer. */
    CompletableFuture<FaultAnswer> schedule(FaultNode node, String key, String token, long dueAtMs) {
        FaultWish wish = wished(key, token, dueAtMs, System.currentTimeMillis());
        return node.schedule(key, token, dueAtMs).whenComplete((answer, never) -> answered(wish, answer));
    }

    /** Has a node cancel what stands under a key. */
    CompletableFuture<FaultAnswer> cancel(FaultNode node, String key) {
        FaultWish wish = wished(key, "", 0, System.currentTimeMillis());
        return node.cancel(key).whenComplete((answer, never) -> answered(wish, answer));
    }

    private static void answered(FaultWish wish, FaultAnswer answer) {
        wish.answered(answer, System.currentTimeMillis());
    }

    FaultWish wished(String key, String token, long dueAtMs, long startMs) {
        FaultWish wish = new FaultWish(key, token, dueAtMs, startMs);
        wishes.add(wish);
        return wish;
    }

    void delivered(FaultDelivery delivery) {
        deliveries.add(delivery);
        deliveredTokens.add(delivery.token());
    }

    void handled(FaultDelivery delivery, long nowMs) {
        handled.put(delivery, nowMs);
    }

    void cause(FaultCause cause) {
        causes.add(cause);
    }

    /** A node ended by itself. */
    void failed(String node, String cause) {
        failures.add(node + ": " + cause);
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    /** The servers or the network are not well while this is done, and for a little longer. */
    void servers(Runnable fault) {
        long fromMs = System.currentTimeMillis();
        fault.run();
        cause(new FaultCause(FaultCause.Kind.SERVERS, "", fromMs, System.currentTimeMillis()));
    }

    boolean isDelivered(String token) {
        return deliveredTokens.contains(token);
    }

    /** Whether the attempt of a node has ended. */
    boolean isHandled(String token, String node) {
        return handled.keySet().stream()
                .anyMatch(each -> each.token().equals(token) && each.node().equals(node));
    }

    List<FaultDelivery> deliveriesOf(String token) {
        return deliveries.stream()
                .filter(delivery -> delivery.token().equals(token))
                .toList();
    }

    List<FaultDelivery> deliveries() {
        return List.copyOf(deliveries);
    }

    boolean allAnswered() {
        return wishes.stream().allMatch(FaultWish::isAnswered);
    }

    /** Whether nothing is missing by now. */
    boolean allCame() {
        return judge().number(FaultReport.Broken.LOST) == 0;
    }

    /** When the last timer is due that was asked for. */
    long lastDueAtMs() {
        return wishes.stream().mapToLong(wish -> wish.dueAtMs).max().orElse(0);
    }

    /** Judges what is known by now, as if all waiting had been done. */
    FaultReport judge() {
        Map<String, List<FaultWish>> byKey = new HashMap<>();
        wishes.forEach(wish ->
                byKey.computeIfAbsent(wish.key, key -> new ArrayList<>()).add(wish));
        return new FaultJudge(byKey, List.copyOf(deliveries), Map.copyOf(handled), List.copyOf(causes)).judge();
    }

    String storyOf(String key) {
        List<String> lines = new ArrayList<>();
        wishes.stream().filter(wish -> wish.key.equals(key)).forEach(wish -> lines.add(wish.toString()));
        deliveries.stream()
                .filter(delivery -> delivery.key().equals(key))
                .forEach(delivery -> lines.add(delivery + " handled at " + handled.get(delivery)));
        return String.join("\n    ", lines);
    }

    String causesText() {
        return String.join("\n", causes.stream().map(FaultCause::toString).toList());
    }
}
