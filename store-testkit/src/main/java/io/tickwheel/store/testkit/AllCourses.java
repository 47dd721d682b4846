package io.tickwheel.store.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Walks through all courses that a deterministic program can take: wherever it draws a number below a bound, the course divides. The
 * first choices are walked through in all combinations, as many as are asked for; those behind them take turns, so that each course
 * comes to its end. A choice among one is none.
 *
 * <pre>{@code
 * int courses = AllCourses.walk(8, 100_000, choices -> {
 *     var threads = new ManualThreads(clock, choices);
 *     ...
 * });
 * }</pre>
 *
 * A course that fails is told by its choices; {@link #again} runs it alone.
 */
public final class AllCourses {

    private AllCourses() {}

    /**
     * Walks through all courses.
     *
     * @param depth how many choices are walked through in all combinations
     * @param most the most courses that there may be
     * @return how many there were
     * @throws AssertionError when a course fails, or there are more
     */
    public static int walk(int depth, int most, Consumer<RandomGenerator> course) {
        List<Integer> first = List.of();
        for (int courses = 1; ; courses++) {
            if (courses > most) {
                throw new AssertionError("there are more than " + most + " courses");
            }
            Choices choices = new Choices(first, depth);
            run(choices, course);
            first = choices.next();
            if (first.isEmpty()) {
                return courses;
            }
        }
    }

    /** Runs the one course that makes these choices first. */
    public static void again(List<Integer> choices, Consumer<RandomGenerator> course) {
        run(new Choices(choices, choices.size()), course);
    }

    private static void run(Choices choices, Consumer<RandomGenerator> course) {
        try {
            course.accept(choices);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("the course of choices " + choices.made + ": " + e.getMessage(), e);
        }
    }

    private static final class Choices implements RandomGenerator {

        private final List<Integer> first;
        private final int depth;
        private final List<Integer> made = new ArrayList<>();
        private final List<Integer> bounds = new ArrayList<>();
        private int later;

        Choices(List<Integer> first, int depth) {
            this.first = first;
            this.depth = depth;
        }

        @Override
        public int nextInt(int bound) {
            if (bound == 1) {
                return 0;
            }
            int at = made.size();
            if (at >= depth) {
                return later++ % bound;
            }
            int choice = at < first.size() ? first.get(at) : 0;
            made.add(choice);
            bounds.add(bound);
            return choice;
        }

        @Override
        public long nextLong() {
            throw new UnsupportedOperationException("a choice is made among a few");
        }

        /** The first choices of the next course; empty when this was the last. */
        List<Integer> next() {
            for (int last = made.size() - 1; last >= 0; last--) {
                if (made.get(last) + 1 < bounds.get(last)) {
                    List<Integer> next = new ArrayList<>(made.subList(0, last));
                    next.add(made.get(last) + 1);
                    return next;
                }
            }
            return List.of();
        }
    }
}
