package io.tickwheel.store.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.function.BiPredicate;
import java.util.stream.LongStream;

/**
 * Looks for a seed that shows each of some planted bugs. The seeds that showed them the last time are tried first: they stand beside the test, in a resource
 * {@code TestName.seeds}, one line {@code BUG=seed} for each. Where such a seed shows its bug no more, because the code or the random course is another, all seeds are
 * tried in their order. So the resource makes a run short; what the run finds does not hang on it.
 */
public final class SeedHunt {

    private final Properties known = new Properties();
    private final String resource;
    private final int seeds;

    /**
     * @param test the test, beside which the seeds of the last time lie
     * @param seeds how many seeds are tried at most, from 0
     * @throws IllegalStateException when there is no such resource
     */
    public SeedHunt(Class<?> test, int seeds) {
        this.seeds = seeds;
        resource = test.getSimpleName() + ".seeds";
        try (InputStream stream = test.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("There is no resource " + resource + " beside " + test.getName());
            }
            known.load(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns a seed for each bug that is found.
     *
     * @param planted the bugs that are looked for
     * @param isFound whether a seed shows a bug
     */
    public <B extends Enum<B>> Map<B, Long> find(Iterable<B> planted, Class<B> type, BiPredicate<Long, B> isFound) {
        Map<B, Long> found = new EnumMap<>(type);
        for (B bug : planted) {
            find(bug, isFound).ifPresent(seed -> found.put(bug, seed));
        }
        return found;
    }

    /** Says what was found, in the words of the resource where that is no longer right. */
    public String describe(Map<? extends Enum<?>, Long> found) {
        StringBuilder text = new StringBuilder(found.size() + " planted bugs found");
        found.forEach((bug, seed) -> {
            if (!String.valueOf(seed).equals(known.getProperty(bug.name()))) {
                text.append("\nto be changed in ")
                        .append(resource)
                        .append(": ")
                        .append(bug.name())
                        .append('=')
                        .append(seed);
            }
        });
        return text.toString();
    }

    private <B extends Enum<B>> OptionalLong find(B bug, BiPredicate<Long, B> isFound) {
        String seed = known.getProperty(bug.name());
        if (seed != null && isFound.test(Long.parseLong(seed), bug)) {
            return OptionalLong.of(Long.parseLong(seed));
        }
        return LongStream.range(0, seeds)
                .filter(each -> isFound.test(each, bug))
                .findFirst();
    }
}
