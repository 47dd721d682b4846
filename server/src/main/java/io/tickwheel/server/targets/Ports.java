package io.tickwheel.server.targets;

import java.util.BitSet;

/** Ports as a setting has them, {@code 80, 443, 8000-8999}. Immutable. */
final class Ports {

    private static final int HIGHEST = 65_535;
    private static final String RULE = "must be ports from 1 to 65535, or first-last, with commas between them";

    private final String text;
    private final BitSet ports = new BitSet();

    private Ports(String text) {
        this.text = text;
    }

    /**
     * Reads ports.
     *
     * @throws IllegalArgumentException with the rule that the text breaks
     */
    static Ports parse(String text) {
        Ports all = new Ports(text);
        for (String part : text.split(",", -1)) {
            String[] ends = part.strip().split("-", 2);
            int first = port(ends[0]);
            int last = port(ends[ends.length - 1]);
            if (first > last) {
                throw new IllegalArgumentException(RULE);
            }
            all.ports.set(first, last + 1);
        }
        return all;
    }

    private static int port(String text) {
        int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
        if (port < 1 || port > HIGHEST) {
            throw new IllegalArgumentException(RULE);
        }
        return port;
    }

    boolean contain(int port) {
        return ports.get(port);
    }

    @Override
    public String toString() {
        return text;
    }
}
