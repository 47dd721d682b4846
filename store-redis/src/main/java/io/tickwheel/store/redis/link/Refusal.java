package io.tickwheel.store.redis.link;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an error of a server means for the call. */
public enum Refusal {
    /** The server does not know the script: send it. */
    UNKNOWN_SCRIPT,
    /** The slot has another master, for good. */
    MOVED,
    /** The slot is on its way, and these keys are there already. */
    ASK,
    /** Later, perhaps. */
    NOT_NOW,
    /** Later, perhaps, and perhaps of another server. */
    NOT_HERE,
    /** No memory. */
    FULL,
    /** Never. */
    FOR_GOOD;

    /** Redis 6 wraps what a command in a script answers: "ERR Error running script (...): @user_script:1: -OOM ...". */
    private static final Pattern WRAPPED = Pattern.compile("@user_script: ?[0-9]+: -?([A-Z]+) ");

    public static Refusal of(String error) {
        String code = firstWord(error);
        if (code.equals("ERR")) {
            Matcher inner = WRAPPED.matcher(error);
            if (inner.find()) {
                code = inner.group(1);
            }
        }
        return switch (code) {
            case "NOSCRIPT" -> UNKNOWN_SCRIPT;
            case "MOVED" -> MOVED;
            case "ASK" -> ASK;
            case "TRYAGAIN", "LOADING", "BUSY", "NOREPLICAS", "MISCONF" -> NOT_NOW;
            case "CLUSTERDOWN", "MASTERDOWN", "READONLY", "UNBLOCKED" -> NOT_HERE;
            case "OOM" -> FULL;
            default -> FOR_GOOD;
        };
    }

    /** Where to, of {@code MOVED slot host:port}; without a host it is the one that said so. */
    static Endpoint target(String error, Endpoint teller) {
        String address = error.substring(error.lastIndexOf(' ') + 1);
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon);
        boolean named = !host.isEmpty() && !host.equals("?");
        return new Endpoint(named ? host : teller.host(), Integer.parseInt(address.substring(colon + 1)));
    }

    static int slot(String error) {
        int start = error.indexOf(' ') + 1;
        return Integer.parseInt(error.substring(start, error.indexOf(' ', start)));
    }

    private static String firstWord(String error) {
        int end = error.indexOf(' ');
        return end < 0 ? error : error.substring(0, end);
    }
}
