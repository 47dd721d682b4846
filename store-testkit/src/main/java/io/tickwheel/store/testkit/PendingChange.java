package io.tickwheel.store.testkit;

import java.util.SplittableRandom;

/** A change of one file's bytes that readers see and the disk does not have yet. */
sealed interface PendingChange {
    /** What a device writes whole or not at all. */
    int SECTOR_BYTES = 512;

    void applyTo(ByteImage image);

    /** Applies what a power loss leaves of this change: all, nothing or, of a write, any of its sectors. */
    void applyRemains(ByteImage image, SplittableRandom random);

    final class Write implements PendingChange {
        private final int offset;
        private final byte[] bytes;

        Write(int offset, byte[] bytes) {
            this.offset = offset;
            this.bytes = bytes;
        }

        @Override
        public void applyTo(ByteImage image) {
            image.write(offset, bytes, 0, bytes.length);
        }

        @Override
        public void applyRemains(ByteImage image, SplittableRandom random) {
            switch (random.nextInt(3)) {
                case 0 -> applyTo(image);
                case 1 -> extendByChance(image, random);
                default -> {
                    applySectors(image, random);
                    extendByChance(image, random);
                }
            }
        }

        private void applySectors(ByteImage image, SplittableRandom random) {
            int end = offset + bytes.length;
            for (int from = offset; from < end; ) {
                int to = (int) Math.min(end, (from / SECTOR_BYTES + 1L) * SECTOR_BYTES);
                if (random.nextBoolean()) {
                    image.write(from, bytes, from - offset, to - from);
                }
                from = to;
            }
        }

        /** The new size can reach the disk without the data: it then reads as zeros. */
        private void extendByChance(ByteImage image, SplittableRandom random) {
            if (random.nextBoolean()) {
                image.extend(offset + bytes.length);
            }
        }
    }

    record Truncation(int size) implements PendingChange {
        @Override
        public void applyTo(ByteImage image) {
            image.truncate(size);
        }

        @Override
        public void applyRemains(ByteImage image, SplittableRandom random) {
            if (random.nextBoolean()) {
                applyTo(image);
            }
        }
    }
}
