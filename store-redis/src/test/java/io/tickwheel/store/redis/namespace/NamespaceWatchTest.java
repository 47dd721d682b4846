package io.tickwheel.store.redis.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.HeldCalls;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a node concludes from what it finds of its namespace. */
final class NamespaceWatchTest {

    private static final String ID = "1".repeat(32);
    private static final String OTHER = "2".repeat(32);

    private final Layout layout = new Layout("t", 64);
    private final HeldCalls link = new HeldCalls();
    private final NamespaceWatch watch =
            new NamespaceWatch(layout, new FormatCheck(link, layout, Duration.ofSeconds(5)), link);

    NamespaceWatchTest() {
        watch.opened(ID);
    }

    private static List<byte[]> answer(@Nullable String id, @Nullable String gone) {
        return Arrays.asList(id == null ? null : Text.bytes(id), gone == null ? null : Text.bytes(gone));
    }

    /** Settings as they stand in Redis, with another id. */
    private static List<byte[]> settings(String partitions) {
        return List.of(Text.bytes(Layout.FORMAT), Text.bytes(partitions), Text.bytes(OTHER), Text.bytes(""));
    }

    @Test
    void idIsOfTwoNumbers() {
        long[] numbers = {0xabcL, -1};
        int[] next = {0};
        assertThat(NamespaceWatch.newId(() -> numbers[next[0]++])).isEqualTo("0000000000000abcffffffffffffffff");
    }

    @Test
    void connectionIsUsedWhenItsServerHasTheSameNamespace() {
        assertThat(watch.question()).containsExactly("HMGET", "t:{0}:config", "id", "gone");
        assertThat(watch.take(answer(ID, null))).isTrue();
        assertThat(watch.isThere()).isTrue();
        assertThat(watch.doubts()).isZero();
    }

    @Test
    void connectionIsNotUsedWhenItsServerHasAnotherNamespaceOrNone() {
        List<@Nullable Object> answers = Arrays.asList(
                answer(OTHER, null), answer(null, null), answer(ID, "5"), List.of(Text.bytes(ID)), List.of(), null, 1L);
        int doubts = 0;
        for (Object each : answers) {
            watch.foundSame(watch.doubts());
            assertThat(watch.isThere()).isTrue();
            assertThat(watch.take(each)).isFalse();
            assertThat(watch.isThere()).isFalse();
            assertThat(watch.doubts()).isEqualTo(++doubts);
            assertThat(watch.gone()).as("it is only in doubt").isNull();
        }
    }

    /** It may have been there when the heartbeat was answered, and not when it was doubted. */
    @Test
    void heartbeatFromBeforeADoubtDoesNotEndIt() {
        watch.doubt();
        int before = watch.doubts();
        watch.doubt();
        watch.foundSame(before);
        assertThat(watch.isThere()).isFalse();
        watch.foundSame(watch.doubts());
        assertThat(watch.isThere()).isTrue();
        assertThat(watch.changes()).as("nothing was lost").isZero();
    }

    @Test
    void partitionThatIsGoneIsNamedUntilItIsFound() {
        assertThat(Text.string(watch.goneText())).isEmpty();
        watch.doubt(0);
        assertThat(Text.string(watch.goneText())).isEqualTo("0");
        watch.foundSame(watch.doubts());
        assertThat(Text.string(watch.goneText())).isEmpty();
        watch.doubt(NamespaceWatch.NO_PARTITION);
        assertThat(Text.string(watch.goneText())).isEmpty();
    }

    @Test
    void whatIsGoneIsSaidWithWhatToDo() {
        watch.foundOther("", "", false);
        assertThat(watch.isThere()).isFalse();
        assertThat(watch.changes()).isOne();
        assertThat(watch.gone())
                .startsWith("namespace t is gone: its id was " + ID + ", and the server has none")
                .endsWith("tickwheel accept-empty --lost " + ID);
        watch.foundOther(OTHER, "", false);
        assertThat(watch.gone()).contains("another one, " + OTHER).endsWith("--lost " + ID);
        watch.foundOther(ID, "7", false);
        assertThat(watch.gone()).contains("gone in part: partition 7").endsWith("--lost " + ID);
        watch.foundOther(OTHER, "7", true);
        assertThat(watch.gone()).as("accepted, and gone again").endsWith("--lost " + OTHER);
        watch.foundSame(watch.doubts());
        assertThat(watch.isThere()).isTrue();
        assertThat(watch.gone()).isNull();
    }

    /** It was sent before the word of the operator was taken. */
    @Test
    void lateWordOfTheSameNamespaceChangesNothing() {
        watch.foundOther(ID, "", true);
        assertThat(watch.isThere()).isTrue();
        assertThat(link.sent).isEmpty();
    }

    @Test
    void acceptedLossIsTakenOnceAndThenItGoesOn() {
        watch.foundOther("", "", false);
        int changes = watch.changes();
        watch.foundOther(OTHER, "", true);
        watch.foundOther(OTHER, "", true);
        assertThat(link.sent).as("asks once at a time").hasSize(1);
        watch.made().take("1");
        link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(watch.isThere()).isFalse();
        watch.foundOther(OTHER, "", true);
        link.answer(settings("64"));
        assertThat(watch.isThere()).isTrue();
        assertThat(watch.made().has(0)).as("of the one that is lost").isFalse();
        assertThat(watch.gone()).isNull();
        assertThat(watch.changes()).isGreaterThan(changes);
        assertThat(watch.take(answer(OTHER, null)))
                .as("it works with the other one")
                .isTrue();
    }

    @Test
    void acceptedLossIsNotTakenWhenTheNodeWouldReadItWrongly() {
        watch.foundOther("", "", false);
        watch.foundOther(OTHER, "", true);
        link.answer(settings("63"));
        assertThat(watch.isThere()).isFalse();
        assertThat(watch.gone())
                .startsWith("the loss of namespace t is accepted, but not for this node: ")
                .contains("63 partitions");
        watch.foundOther(OTHER, "", true);
        assertThat(link.sent).as("asks again").hasSize(1);
    }
}
