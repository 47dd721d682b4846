package io.tickwheel.store.file.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageMemoryTest {

    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    @ParameterizedTest
    @ValueSource(ints = {16, 512, 2 * KIB, 256 * KIB})
    void pagesDoNotOverlap(int pageBytes) {
        PageMemory memory = new PageMemory(pageBytes);
        int pages = Math.max(3 * MIB / pageBytes, 50);
        for (int i = 0; i < pages; i++) {
            fill(memory, memory.allocate(), pageBytes, i);
        }
        for (int page = 0; page < pages; page++) {
            check(memory, page, pageBytes, page);
        }
    }

    @Test
    void pageNumberSaysWhereThePageIs() {
        PageMemory memory = new PageMemory(512);
        for (int i = 0; i < 1_028; i++) {
            assertThat(memory.allocate()).isEqualTo(i);
        }
        assertThat(memory.offset(1_027)).isEqualTo(1_536);
        assertThat(memory.chunk(1_027)).isSameAs(memory.chunk(1_024)).isNotSameAs(memory.chunk(1_023));
        assertThat(memory.chunk(1_027).order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void freedPagesAreTakenFirst() {
        PageMemory memory = new PageMemory(KIB);
        List<Integer> pages = allocate(memory, 256);
        assertThat(memory.bytes()).isEqualTo(256 * KIB);
        memory.free(pages.get(3));
        memory.free(pages.get(200));
        assertThat(List.of(memory.allocate(), memory.allocate())).containsExactlyInAnyOrder(3, 200);
        assertThat(memory.bytes()).isEqualTo(256 * KIB);
        memory.allocate();
        assertThat(memory.bytes()).isEqualTo(512 * KIB);
    }

    @Test
    void lowestRegionIsFilledFirst() {
        PageMemory memory = new PageMemory(KIB);
        List<Integer> pages = allocate(memory, 4 * KIB);
        for (int page : List.of(3_000, 7, 1_500)) {
            memory.free(pages.get(page));
        }
        assertThat(allocate(memory, 3)).containsExactly(7, 1_500, 3_000);
    }

    @Test
    void atMostAnEighthLiesFallow() {
        PageMemory memory = new PageMemory(2 * KIB);
        assertThat(memory.bytes()).isZero();
        for (long used = 2 * KIB; used <= 64 * MIB; used += 2 * KIB) {
            memory.allocate();
            assertThat(memory.bytes() - used).isBetween(0L, Math.max(256 * KIB, used / 8));
        }
    }

    @Test
    void upperRegionsAreGivenBackWhenTheyEmpty() {
        PageMemory memory = new PageMemory(KIB);
        List<Integer> pages = allocate(memory, 32 * KIB);
        long full = memory.bytes();
        for (int page : pages.subList(2 * KIB, pages.size())) {
            memory.free(page);
        }
        assertThat(memory.bytes()).as("in use, and one in reserve").isEqualTo(2 * MIB + 256 * KIB);
        for (int page : pages.subList(0, 2 * KIB)) {
            memory.free(page);
        }
        assertThat(memory.bytes()).as("the reserve").isEqualTo(256 * KIB);
        allocate(memory, 32 * KIB);
        assertThat(memory.bytes()).isEqualTo(full);
    }

    @Test
    void oneAtABorderDoesNotMapEveryTime() {
        PageMemory memory = new PageMemory(KIB);
        allocate(memory, 256);
        int page = memory.allocate();
        ByteBuffer chunk = memory.chunk(page);
        for (int i = 0; i < 10; i++) {
            memory.free(page);
            assertThat(memory.allocate()).isEqualTo(page);
            assertThat(memory.chunk(page)).isSameAs(chunk);
        }
    }

    @Test
    void pagesKeepTheirContentUntilTheyAreFreed() {
        for (int seed = 0; seed < 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            PageMemory memory = new PageMemory(4 * KIB);
            List<Integer> pages = new ArrayList<>();
            List<Long> marks = new ArrayList<>();
            for (int step = 0; step < 20_000; step++) {
                boolean grows = step / 4_000 % 2 == 0;
                if (pages.isEmpty() || random.nextInt(10) < (grows ? 7 : 3)) {
                    int page = memory.allocate();
                    long mark = random.nextLong();
                    memory.chunk(page).putLong(memory.offset(page), mark);
                    memory.chunk(page).putLong(memory.offset(page) + 4 * KIB - Long.BYTES, ~mark);
                    pages.add(page);
                    marks.add(mark);
                } else {
                    int i = random.nextInt(pages.size());
                    int page = pages.get(i);
                    assertThat(memory.chunk(page).getLong(memory.offset(page))).isEqualTo(marks.get(i));
                    assertThat(memory.chunk(page).getLong(memory.offset(page) + 4 * KIB - Long.BYTES))
                            .isEqualTo(~marks.get(i));
                    memory.free(page);
                    pages.set(i, pages.get(pages.size() - 1));
                    pages.remove(pages.size() - 1);
                    marks.set(i, marks.get(marks.size() - 1));
                    marks.remove(marks.size() - 1);
                }
            }
            assertThat(pages).doesNotHaveDuplicates();
        }
    }

    @Test
    void pageSizeThatIsNoPowerOfTwoIsRefused() {
        for (int pageBytes : new int[] {0, 8, 48, 512 * KIB, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> new PageMemory(pageBytes))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("pageBytes must be a power of two, 16 to 262144: " + pageBytes);
        }
    }

    private static List<Integer> allocate(PageMemory memory, int count) {
        List<Integer> pages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pages.add(memory.allocate());
        }
        return pages;
    }

    private static void fill(PageMemory memory, int page, int pageBytes, long value) {
        for (int at = 0; at < pageBytes; at += Long.BYTES) {
            memory.chunk(page).putLong(memory.offset(page) + at, value);
        }
    }

    private static void check(PageMemory memory, int page, int pageBytes, long value) {
        for (int at = 0; at < pageBytes; at += Long.BYTES) {
            if (memory.chunk(page).getLong(memory.offset(page) + at) != value) {
                throw new AssertionError("page " + page + " at " + at);
            }
        }
    }
}
