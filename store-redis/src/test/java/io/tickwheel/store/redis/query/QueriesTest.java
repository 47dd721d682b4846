package io.tickwheel.store.redis.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Planted;
import io.tickwheel.store.redis.link.DirectLink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class QueriesTest {

    private static final long MS = 1_000_000;
    private static final long TIMEOUT_MS = 2_000;
    private static final TimerState[] STATES = TimerState.values();
    private static final Comparator<Planted.Timer> ORDER =
            Comparator.comparingLong(Planted.Timer::dueAtMs).thenComparingLong(Planted.Timer::number);

    private static RedisServer server;

    private DirectLink link;
    private Planted planted;
    private Queries queries;
    private long nowNanos;

    /** What was answered. */
    private static final class Given<T> implements Answer<T> {

        private T result;
        private StoreException failure;

        @Override
        public void accept(T given) {
            assertThat(isGiven()).isFalse();
            result = given;
        }

        @Override
        public void fail(StoreException given) {
            assertThat(isGiven()).isFalse();
            failure = given;
        }

        boolean isGiven() {
            return result != null || failure != null;
        }
    }

    @BeforeAll
    static void startServer() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        link = new DirectLink(server.port());
    }

    @AfterEach
    void disconnect() {
        link.close();
        if (planted != null) {
            planted.close();
        }
    }

    /** What the servers have may be something else. */
    private boolean mayAsk = true;

    private void useLayout(int partitions) {
        Layout layout = new Layout("test", partitions);
        planted = new Planted(server.port(), layout);
        queries = new Queries(layout, link, TIMEOUT_MS * MS, () -> mayAsk);
    }

    private void turn() {
        queries.work(nowNanos);
        link.flush();
        link.deliver(100);
        nowNanos += MS;
    }

    private <T> T settled(Given<T> given) {
        while (!given.isGiven()) {
            turn();
        }
        if (given.failure != null) {
            throw given.failure;
        }
        return given.result;
    }

    private TimerPage list(TimerQuery query) {
        Given<TimerPage> page = new Given<>();
        queries.list(query, page);
        return settled(page);
    }

    private List<Long> countDue(DueCountQuery query) {
        Given<DueCounts> counts = new Given<>();
        queries.countDue(query, counts);
        assertThat(settled(counts).fromMs()).isEqualTo(query.fromMs());
        return counts.result.counts();
    }

    private List<QueueCounts> queues() {
        Given<List<QueueCounts>> counts = new Given<>();
        queries.queues(counts);
        return settled(counts);
    }

    private List<TimerView> expected(TimerQuery query) {
        return planted.timers.stream()
                .filter(timer -> timer.key().queue().equals(query.queue()))
                .filter(timer -> startsWith(timer.key().key(), query.keyPrefix()))
                .filter(timer -> query.state() == null
                        ? !timer.state().isFinished() || timer.state() == TimerState.DEAD
                        : timer.state() == query.state())
                .filter(timer -> timer.dueAtMs() >= query.dueFromMs())
                .filter(timer -> timer.dueAtMs() < query.dueToMs() || query.dueToMs() == Long.MAX_VALUE)
                .sorted(ORDER)
                .map(Planted.Timer::view)
                .toList();
    }

    private static boolean startsWith(String key, String prefix) {
        byte[] all = Planted.bytes(key);
        byte[] begin = Planted.bytes(prefix);
        return all.length >= begin.length && Arrays.equals(all, 0, begin.length, begin, 0, begin.length);
    }

    /** Reads all pages, each of which must go on where the one before ended. */
    private List<TimerView> listAll(TimerQuery query) {
        List<TimerView> all = new ArrayList<>();
        TimerPage page = list(query);
        for (int pages = 1; ; pages++) {
            assertThat(page.timers()).hasSizeLessThanOrEqualTo(query.limit());
            all.addAll(page.timers());
            if (page.next() == null) {
                return all;
            }
            assertThat(pages).isLessThan(10_000);
            page = list(query.withAfter(TimerCursor.parse(page.next().text())));
        }
    }

    /** Timers of all states in a few crowded milliseconds, over slices of both widths, and at the ends of time. */
    private void plantRandomly(Random random, int count) throws Exception {
        long[] widths = {50, 200_000, 20_000_000, 30L * 24 * 3_600_000};
        for (int i = 0; i < count; i++) {
            long dueAtMs = Planted.NOW_MS + random.nextLong(widths[random.nextInt(widths.length)]) - 1_000;
            if (random.nextInt(50) == 0) {
                dueAtMs =
                        random.nextBoolean() ? Long.MAX_VALUE - random.nextInt(3) : Long.MIN_VALUE + random.nextInt(3);
            }
            String queue = "q" + random.nextInt(3);
            TimerState state = random.nextInt(3) > 0 ? TimerState.PENDING : STATES[random.nextInt(STATES.length)];
            planted.plant(
                    planted.timer(queue, key(random) + i, state, random.nextInt(3) == 0, dueAtMs, random.nextInt(300)));
        }
        planted.count();
    }

    private static String key(Random random) {
        return List.of("a", "ab", "ä", "\uFF5E", "\uD834\uDD1E", "").get(random.nextInt(6));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64})
    void listIsWhatAModelSays(int partitions) throws Exception {
        useLayout(partitions);
        Random random = new Random(partitions);
        plantRandomly(random, 3_000);
        for (int i = 0; i < (partitions > 10 ? 12 : 40); i++) {
            TimerQuery query = randomQuery(random);
            assertThat(listAll(query)).as(query.toString()).isEqualTo(expected(query));
        }
        assertThat(queries.isQuiet()).isTrue();
    }

    private TimerQuery randomQuery(Random random) {
        TimerQuery query = TimerQuery.of("q" + random.nextInt(4)).withLimit(1 + random.nextInt(300));
        TimerState state =
                new TimerState[] {null, TimerState.PENDING, TimerState.CLAIMED, TimerState.DEAD}[random.nextInt(4)];
        if (state != null) {
            query = query.withState(state);
        }
        if (random.nextBoolean()) {
            query = query.withKeyPrefix(key(random));
        }
        if (random.nextBoolean()) {
            long one = border(random);
            long other = border(random);
            query = query.withDue(Math.min(one, other), Math.max(one, other));
        }
        return query;
    }

    private long border(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> Long.MIN_VALUE + random.nextInt(3);
            case 1 -> Long.MAX_VALUE - random.nextInt(3);
            case 2 -> Planted.NOW_MS + random.nextInt(10_000_000);
            default -> planted.timers.get(random.nextInt(planted.timers.size())).dueAtMs();
        };
    }

    @Test
    void manyTimersOfOneMillisecondAreListedByAge() throws Exception {
        useLayout(2);
        for (int i = 0; i < 2_000; i++) {
            planted.plant(planted.timer("q", "k" + i, TimerState.PENDING, i % 2 == 0, Planted.NOW_MS, 10));
        }
        planted.plant(planted.timer("q", "behind", TimerState.PENDING, false, Planted.NOW_MS + 1, 10));
        planted.count();
        TimerQuery query = TimerQuery.of("q").withLimit(400);
        assertThat(listAll(query)).isEqualTo(expected(query));
    }

    /** Only the number of the partition tells them apart: a page may end between any two of them. */
    @Test
    void timersOfOneMillisecondAndOneSeqInSeveralPartitionsAreListedOnce() throws Exception {
        int partitions = 8;
        useLayout(partitions);
        for (int i = 0; i < 20 * partitions; i++) {
            TimerKey key = new TimerKey("q", "k" + i);
            int partition = new Layout("test", partitions).partition(Planted.field(key));
            boolean isTaken = planted.timers.stream()
                            .filter(each -> each.partition() == partition)
                            .count()
                    >= 4;
            if (!isTaken) {
                int number = (int) planted.timers.stream()
                        .filter(each -> each.partition() == partition)
                        .count();
                long seq = Planted.NOW_MS * 1_000 + number / 2;
                planted.plant(new Planted.Timer(
                        key, TimerState.PENDING, false, Planted.NOW_MS + number % 2, seq, partition, 10));
            }
        }
        planted.count();
        assertThat(planted.timers).hasSize(4 * partitions);
        for (int limit = 1; limit <= 4 * partitions; limit++) {
            TimerQuery query = TimerQuery.of("q").withLimit(limit);
            assertThat(listAll(query)).as("pages of %s", limit).isEqualTo(expected(query));
        }
    }

    @Test
    void pageEndsBeforeItCostsTooMuch() throws Exception {
        useLayout(2);
        for (int i = 0; i < 25_000; i++) {
            planted.plant(planted.timer("other", "k" + i, TimerState.PENDING, true, Planted.NOW_MS + i * 60L, 0));
        }
        planted.plant(planted.timer("q", "needle", TimerState.PENDING, true, Planted.NOW_MS + 22_000 * 60L, 0));
        planted.count();
        TimerPage first = list(TimerQuery.of("q"));
        assertThat(first.timers()).isEmpty();
        assertThat(first.next()).isNotNull();
        assertThat(link.calls).isLessThan(200);
        assertThat(listAll(TimerQuery.of("q"))).isEqualTo(expected(TimerQuery.of("q")));
    }

    /** As docs/http-api.md has it: 20,000 timers, and 64 for each partition. */
    @Test
    void pageOfAQueueAmongOthersSaysHowFarItLooked() throws Exception {
        useLayout(256);
        int others = 45_000;
        for (int i = 0; i < others; i++) {
            planted.plant(planted.timer("other", "k" + i, TimerState.PENDING, true, Planted.NOW_MS + i * 60L, 0));
        }
        planted.plant(planted.timer("q", "needle", TimerState.PENDING, true, Planted.NOW_MS + 42_000 * 60L, 0));
        planted.count();
        TimerQuery query = TimerQuery.of("q");
        TimerPage page = list(query);
        for (long lookedTo = 0; page.timers().isEmpty(); ) {
            long looked = (page.next().dueAtMs() - Planted.NOW_MS) / 60 - lookedTo;
            assertThat(looked).isBetween(15_000L, 20_000L + 64 * 256);
            lookedTo += looked;
            page = list(query.withAfter(TimerCursor.parse(page.next().text())));
        }
        assertThat(page.timers()).isEqualTo(expected(query));
    }

    @Test
    void largeContentsStayInRedisAndSplitThePieces() throws Exception {
        useLayout(1);
        for (int i = 0; i < 200; i++) {
            TimerState state = i % 2 == 0 ? TimerState.PENDING : TimerState.CLAIMED;
            planted.plant(planted.timer("q", "k" + i, state, true, Planted.NOW_MS + i, 60_000));
        }
        planted.count();
        TimerQuery query = TimerQuery.of("q").withLimit(1_000);
        assertThat(listAll(query)).isEqualTo(expected(query));
    }

    @Test
    void manyInFlightAreListedAndCounted() throws Exception {
        useLayout(1);
        for (int i = 0; i < 2_500; i++) {
            planted.plant(planted.timer("q", "k" + i, TimerState.CLAIMED, true, Planted.NOW_MS - i, 0));
        }
        planted.plant(planted.timer("q", "pending", TimerState.PENDING, false, Planted.NOW_MS, 0));
        planted.count();
        TimerQuery query = TimerQuery.of("q").withLimit(1_000);
        assertThat(listAll(query)).isEqualTo(expected(query));
        assertThat(countDue(new DueCountQuery("q", Planted.NOW_MS - 1_999, 1_000, 3)))
                .containsExactly(1_000L, 1_001L, 0L);
        assertThat(countDue(new DueCountQuery(null, Planted.NOW_MS - 999, 1_000, 1)))
                .containsExactly(1_001L);
    }

    @Test
    void timersThatAreClaimedOrReleasedMeanwhileAreOnThePage() throws Exception {
        useLayout(1);
        for (int i = 0; i < 600; i++) {
            TimerState state = i % 2 == 0 ? TimerState.PENDING : TimerState.CLAIMED;
            planted.plant(planted.timer("q", "k" + i, state, true, Planted.NOW_MS + i, 0));
        }
        planted.count();
        List<Planted.Timer> before = List.copyOf(planted.timers);
        Random random = new Random(4);
        Given<TimerPage> page = new Given<>();
        queries.list(TimerQuery.of("q").withLimit(1_000), page);
        while (!page.isGiven()) {
            turn();
            for (int i = 0; i < 20; i++) {
                toggle(random.nextInt(before.size()));
            }
            planted.await();
        }
        assertThat(settled(page).timers().stream().map(TimerView::key))
                .containsExactlyElementsOf(
                        before.stream().map(Planted.Timer::key).toList());
    }

    private void toggle(int at) {
        Planted.Timer old = planted.timers.get(at);
        boolean pending = old.state() == TimerState.PENDING;
        Planted.Timer changed = new Planted.Timer(
                old.key(),
                pending ? TimerState.CLAIMED : TimerState.PENDING,
                old.far(),
                old.dueAtMs(),
                old.seq(),
                old.partition(),
                0);
        planted.send(planted.redis.multi());
        planted.send(planted.redis.zrem(
                planted.key(0, pending ? "z" + old.slice() : "f"),
                pending ? Planted.bytes(old.member()) : Planted.field(old.key())));
        planted.plant(changed);
        planted.send(planted.redis.exec());
        planted.timers.set(at, changed);
        planted.timers.remove(planted.timers.size() - 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64})
    void dueCountsAreWhatAModelSays(int partitions) throws Exception {
        useLayout(partitions);
        Random random = new Random(partitions);
        plantRandomly(random, 3_000);
        for (int i = 0; i < (partitions > 10 ? 10 : 30); i++) {
            long bucketMs = List.of(1_000L, 60_000L, 65_536L, 3_600_000L, DueCountQuery.MAX_BUCKET_MS)
                    .get(random.nextInt(5));
            long fromMs = Planted.NOW_MS - 2_000 + random.nextInt(4_000);
            DueCountQuery query = new DueCountQuery(
                    random.nextBoolean() ? null : "q" + random.nextInt(4), fromMs, bucketMs, 1 + random.nextInt(1_440));
            assertThat(countDue(query)).as(query.toString()).isEqualTo(expected(query));
        }
    }

    private List<Long> expected(DueCountQuery query) {
        Long[] counts = new Long[query.buckets()];
        Arrays.fill(counts, 0L);
        for (Planted.Timer timer : planted.timers) {
            boolean asked =
                    query.queue() == null || query.queue().equals(timer.key().queue());
            if (asked
                    && !timer.state().isFinished()
                    && timer.dueAtMs() >= query.fromMs()
                    && timer.dueAtMs() < query.toMs()) {
                counts[(int) ((timer.dueAtMs() - query.fromMs()) / query.bucketMs())]++;
            }
        }
        return List.of(counts);
    }

    @Test
    void timersAreCountedOnceThoughTheyAreClaimedMeanwhile() throws Exception {
        useLayout(1);
        for (int i = 0; i < 3_000; i++) {
            planted.plant(planted.timer("q", "k" + i, TimerState.PENDING, false, Planted.NOW_MS + i * 700L, 0));
        }
        planted.count();
        DueCountQuery query = new DueCountQuery("q", Planted.NOW_MS, 60_000, 60);
        Random random = new Random(4);
        Given<DueCounts> counts = new Given<>();
        queries.countDue(query, counts);
        while (!counts.isGiven()) {
            turn();
            for (int i = 0; i < 20; i++) {
                toggle(random.nextInt(planted.timers.size()));
            }
            planted.await();
        }
        assertThat(settled(counts).counts()).isEqualTo(expected(query));
    }

    @Test
    void queuesAreAddedUpOverThePartitions() throws Exception {
        useLayout(16);
        plantRandomly(new Random(3), 2_000);
        TreeMap<String, Map<TimerState, Long>> expected = new TreeMap<>();
        for (Planted.Timer timer : planted.timers) {
            expected.computeIfAbsent(timer.key().queue(), queue -> new EnumMap<>(TimerState.class))
                    .merge(timer.state(), 1L, Long::sum);
        }
        List<QueueCounts> counts = new ArrayList<>();
        expected.forEach((queue, of) -> counts.add(new QueueCounts(
                queue, of.get(TimerState.PENDING), of.get(TimerState.CLAIMED), of.get(TimerState.DEAD))));
        assertThat(queues()).isEqualTo(counts);
    }

    @Test
    void manyQueuesAreReadInPieces() throws Exception {
        useLayout(1);
        for (int i = 0; i < 2_000; i++) {
            planted.plant(planted.timer("queue " + i, "k", TimerState.PENDING, true, i, 0));
        }
        planted.count();
        assertThat(queues())
                .hasSize(2_000)
                .allMatch(each -> each.pending() == 1)
                .isSortedAccordingTo(Comparator.comparing(QueueCounts::queue));
        assertThat(link.calls).isGreaterThan(1);
    }

    @Test
    void whatGotNoAnswerIsAskedAgain() throws Exception {
        useLayout(16);
        plantRandomly(new Random(5), 1_000);
        link.faultEvery = 3;
        for (String queue : List.of("q0", "q1")) {
            TimerQuery query = TimerQuery.of(queue).withLimit(50);
            assertThat(listAll(query)).isEqualTo(expected(query));
            DueCountQuery counts = new DueCountQuery(queue, Planted.NOW_MS, 1_000, 100);
            assertThat(countDue(counts)).isEqualTo(expected(counts));
        }
        assertThat(queues()).hasSize(3);
    }

    @Test
    void nothingIsAskedWhileTheNamespaceIsInDoubt() throws Exception {
        useLayout(16);
        plantRandomly(new Random(5), 100);
        Given<TimerPage> begun = new Given<>();
        queries.list(TimerQuery.of("q0"), begun);
        link.flush();
        mayAsk = false;
        Given<List<QueueCounts>> later = new Given<>();
        queries.queues(later);
        link.deliver(100);
        int asked = link.calls;
        for (int i = 0; i < 100; i++) {
            turn();
        }
        assertThat(link.calls).isEqualTo(asked);
        assertThat(later.isGiven()).isFalse();
        mayAsk = true;
        assertThat(settled(later)).hasSize(3);
        assertThat(settled(begun).timers()).isNotEmpty();
    }

    @Test
    void questionsFailWhenRedisStaysAway() {
        useLayout(16);
        link.dead = true;
        List<Given<TimerPage>> pages = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            pages.add(new Given<>());
            queries.list(TimerQuery.of("q"), pages.get(i));
        }
        for (int ms = 0; ms < TIMEOUT_MS; ms++) {
            turn();
        }
        assertThat(pages).noneMatch(Given::isGiven);
        assertThat(link.calls).as("each waits for longer than the one before").isLessThan((int) TIMEOUT_MS);
        turn();
        assertThat(pages)
                .allSatisfy(page -> assertThat(page.failure)
                        .isInstanceOfSatisfying(
                                StoreUnavailableException.class,
                                e -> assertThat(e.outcomeUnknown()).isFalse())
                        .hasMessageContaining("did not answer in time"));
        assertThat(queries.isQuiet()).isTrue();
        int calls = link.calls;
        link.deliver(10_000);
        for (int ms = 0; ms < 500; ms++) {
            turn();
        }
        assertThat(link.calls).as("nothing is sent any more").isLessThan(calls + 200);
        assertThat(link.isQuiet()).isTrue();
    }

    @Test
    void closingFailsWhatIsUnderWay() {
        useLayout(16);
        Given<TimerPage> page = new Given<>();
        queries.list(TimerQuery.of("q"), page);
        assertThat(queries.isQuiet()).isFalse();
        StoreException closing = new StoreException("closing");
        queries.fail(closing);
        assertThat(page.failure).isSameAs(closing);
        assertThat(queries.isQuiet()).isTrue();
        turn();
    }

    @Test
    void callsUnderWayAreBounded() throws Exception {
        useLayout(256);
        plantRandomly(new Random(5), 500);
        List<Given<TimerPage>> pages = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            pages.add(new Given<>());
            queries.list(TimerQuery.of("q1"), pages.get(i));
        }
        for (Given<TimerPage> page : pages) {
            assertThat(settled(page).timers()).hasSizeGreaterThan(50);
        }
        assertThat(link.mostUnderWay).isLessThanOrEqualTo(4 * Query.CALLS);
    }

    @Test
    void recordThatCannotBeReadIsSaid() throws Exception {
        useLayout(1);
        Planted.Timer timer = planted.timer("q", "broken", TimerState.PENDING, true, Planted.NOW_MS, 0);
        planted.plant(timer);
        planted.send(planted.redis.hset(planted.key(0, "r"), Planted.field(timer.key()), new byte[] {0, 1, 2}));
        planted.await();
        Given<TimerPage> page = new Given<>();
        queries.list(TimerQuery.of("q"), page);
        while (!page.isGiven()) {
            turn();
        }
        assertThat(page.failure).hasMessageContaining("q/broken");
    }
}
