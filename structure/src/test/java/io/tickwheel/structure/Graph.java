package io.tickwheel.structure;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Who knows whom: nodes with names, and arrows between them. Not thread-safe. */
final class Graph {

    private final Map<String, Set<String>> arrows = new TreeMap<>();

    void node(String name) {
        arrows.computeIfAbsent(name, unused -> new TreeSet<>());
    }

    void arrow(String from, String to) {
        node(from);
        node(to);
        if (!from.equals(to)) {
            arrows.get(from).add(to);
        }
    }

    Set<String> nodes() {
        return arrows.keySet();
    }

    Set<String> from(String name) {
        return arrows.get(name);
    }

    /** Returns all that can be reached from a node, and the node. */
    Set<String> reach(String name) {
        Set<String> seen = new HashSet<>(Set.of(name));
        Deque<String> todo = new ArrayDeque<>(seen);
        while (!todo.isEmpty()) {
            for (String next : from(todo.pop())) {
                if (seen.add(next)) {
                    todo.push(next);
                }
            }
        }
        return seen;
    }

    /** Returns the groups of two or more nodes that reach each other (strongly connected components), each sorted. */
    List<List<String>> circles() {
        Map<String, Set<String>> reach = new HashMap<>();
        nodes().forEach(node -> reach.put(node, reach(node)));
        List<List<String>> circles = new ArrayList<>();
        Set<String> done = new HashSet<>();
        for (String node : nodes()) {
            if (done.contains(node)) {
                continue;
            }
            List<String> circle = reach.get(node).stream()
                    .filter(other -> reach.get(other).contains(node))
                    .sorted()
                    .toList();
            done.addAll(circle);
            if (circle.size() > 1) {
                circles.add(circle);
            }
        }
        return circles;
    }
}
