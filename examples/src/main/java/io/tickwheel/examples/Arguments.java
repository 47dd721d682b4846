package io.tickwheel.examples;

import java.util.List;

/** Reads what stands behind the name of an example. */
final class Arguments {

    private Arguments() {}

    /**
     * A whole number, 1 to {@code most}; {@code usual} when there are fewer arguments.
     *
     * @throws IllegalArgumentException when it is none
     */
    static int number(List<String> arguments, int at, String what, int usual, int most) {
        if (arguments.size() <= at) {
            return usual;
        }
        String text = arguments.get(at);
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Refused below, with the rule.
        }
        throw new IllegalArgumentException(what + " is '" + text + "', must be a whole number from 1 to " + most);
    }

    /** @throws IllegalArgumentException when there are more */
    static void atMost(List<String> arguments, int most) {
        if (arguments.size() > most) {
            throw new IllegalArgumentException("there are " + arguments.size() + " arguments, must be at most " + most);
        }
    }
}
