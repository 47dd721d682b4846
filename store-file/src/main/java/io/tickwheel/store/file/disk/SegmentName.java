package io.tickwheel.store.file.disk;

import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names a segment of the commit log.
 *
 * @param baseLsn the LSN of its first frame
 * @param epoch of the owner who wrote it, so that no two owners write under one name; 0 for a segment of format 2
 */
public record SegmentName(long baseLsn, int epoch) implements Comparable<SegmentName> {

    /** An epoch in the name of a file, from 1. */
    static final String EPOCH = "((?!0{8})[0-7][0-9a-f]{7})";

    public static final String SUFFIX = ".log";

    /** A segment that is no longer has a header and no frame. */
    public static final int EMPTY_BYTES = 512;

    private static final Pattern NAME = Pattern.compile("([0-7][0-9a-f]{15})(?:-" + EPOCH + ")?\\.log");

    private static final Comparator<SegmentName> ORDER =
            Comparator.comparingLong(SegmentName::baseLsn).thenComparingInt(SegmentName::epoch);

    /** What a file of that name is; null when it is no segment. */
    public static @Nullable SegmentName of(String fileName) {
        Matcher matcher = NAME.matcher(fileName);
        if (!matcher.matches()) {
            return null;
        }
        String epoch = matcher.group(2);
        return new SegmentName(Long.parseLong(matcher.group(1), 16), epoch == null ? 0 : Integer.parseInt(epoch, 16));
    }

    public String fileName() {
        return epoch == 0
                ? String.format(Locale.ROOT, "%016x%s", baseLsn, SUFFIX)
                : String.format(Locale.ROOT, "%016x-%08x%s", baseLsn, epoch, SUFFIX);
    }

    /** By LSN, then by epoch. */
    @Override
    public int compareTo(SegmentName other) {
        return ORDER.compare(this, other);
    }
}
