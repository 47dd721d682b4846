package io.tickwheel.redis.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one node of a Redis cluster thinks of all of them: the reply to {@code CLUSTER NODES}.
 *
 * <pre>
 * 07c37df... 127.0.0.1:11001@21001 myself,master - 0 1426238317239 4 connected 0-5460 5462 [5461->-67ed2db...]
 * id         address               flags         |    ping and pong   epoch    slots       and those on the move
 *                                                `- or the id of its master
 * </pre>
 */
record ClusterView(List<Entry> entries) {

    /** One line. */
    record Entry(
            String id, int port, List<String> flags, String master, long epoch, boolean connected, List<String> slots) {

        boolean isMaster() {
            return flags.contains("master");
        }

        /** Whether the node is neither suspected to be down, nor new and unknown. */
        boolean isWell() {
            return connected
                    && flags.stream()
                            .noneMatch(flag ->
                                    flag.startsWith("fail") || flag.equals("handshake") || flag.equals("noaddr"));
        }

        /** Whether it has a part in who serves what: a master without slots has none. */
        boolean isEngaged() {
            return !isMaster() || slots.stream().anyMatch(range -> !range.startsWith("["));
        }

        private String part() {
            return id + " of " + master + " since " + epoch
                    + slots.stream().filter(range -> !range.startsWith("[")).toList();
        }

        boolean owns(int slot) {
            return slots.stream().anyMatch(range -> contains(range, slot));
        }

        private static boolean contains(String range, int slot) {
            if (range.startsWith("[")) {
                return false;
            }
            int dash = range.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int last = Integer.parseInt(range.substring(dash + 1));
            return first <= slot && slot <= last;
        }

        private static Entry parse(String line) {
            String[] words = line.split(" ", -1);
            String address = words[1].substring(0, words[1].indexOf('@'));
            return new Entry(
                    words[0],
                    Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)),
                    List.of(words[2].split(",", -1)),
                    words[3],
                    Long.parseLong(words[6]),
                    words[7].equals("connected"),
                    Arrays.asList(words).subList(8, words.length));
        }
    }

    /** Asks a node, which may be down: then there is no answer. */
    static Optional<ClusterView> of(RedisServer node) {
        return node.ask("CLUSTER", "NODES").map(reply -> parse(reply.toString()));
    }

    static ClusterView parse(String reply) {
        List<Entry> entries = new ArrayList<>();
        reply.lines().forEach(line -> entries.add(Entry.parse(line)));
        return new ClusterView(List.copyOf(entries));
    }

    /** The node that owns the slot, if one does. */
    Optional<Entry> ownerOf(int slot) {
        return entries.stream()
                .filter(Entry::isMaster)
                .filter(entry -> entry.owns(slot))
                .findFirst();
    }

    /**
     * Who serves what, and by which claim: the same in the views of all who agree. A node that has heard who has a slot, but
     * not in which epoch, may yet take an older claim for the newer one.
     */
    Set<String> division() {
        return entries.stream().filter(Entry::isEngaged).map(Entry::part).collect(Collectors.toSet());
    }

    /** Whether it knows so many nodes, and none of them is down. */
    boolean isWhole(int nodes) {
        return entries.size() == nodes && entries.stream().allMatch(Entry::isWell);
    }
}
