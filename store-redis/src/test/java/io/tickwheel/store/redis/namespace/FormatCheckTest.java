package io.tickwheel.store.redis.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.HeldCalls;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node makes of the settings that stand there. */
final class FormatCheckTest {

    private static final String ID = "1".repeat(32);

    private final FormatCheck check = new FormatCheck(new HeldCalls(), new Layout("t", 64), Duration.ofMillis(1_500));

    private String read(String... settings) {
        List<byte[]> answer = new ArrayList<>();
        for (String each : settings) {
            answer.add(Text.bytes(each));
        }
        return check.read(answer);
    }

    private void assertRefused(Class<? extends StoreException> type, String what, String... settings) {
        assertThatThrownBy(() -> read(settings)).isExactlyInstanceOf(type).hasMessage("namespace t " + what);
    }

    @Test
    void namespaceOfTheSameSettingsIsOpened() {
        assertThat(read("3", "64", ID, "")).isEqualTo(ID);
    }

    @Test
    void otherSettingsAreRefusedByName() {
        assertRefused(StoreException.class, "is not there", "", "", "", "");
        assertRefused(
                StoreFormatException.class,
                "has 63 partitions, must be opened with as many and not with 64",
                "3",
                "63",
                ID,
                "");
        assertRefused(StoreFormatException.class, "has format 4, this version reads format 3", "4", "64", ID, "");
        assertRefused(
                StoreFormatException.class,
                "has format 2, and nodes of an older version are running: stop them first: a, b",
                "2",
                "64",
                ID,
                "",
                "a",
                "b");
        assertRefused(
                StoreException.class,
                "has lost partition 5, and perhaps others: bring their data back, or accept the loss:"
                        + " tickwheel accept-empty --lost " + ID,
                "3",
                "64",
                ID,
                "5");
    }

    @Test
    void questionHasTheSettingsOfTheNode() {
        List<Reply> replies = new ArrayList<>();
        Call call = check.call(replies::add);
        assertThat(call.arguments.stream().map(Text::string)).containsExactly("3", "64", "1", "3:", "1500", "");
        Reply reply = new Reply(Reply.Outcome.DONE, null, "", 1);
        call.answered(reply);
        assertThat(replies).containsExactly(reply);
    }
}
