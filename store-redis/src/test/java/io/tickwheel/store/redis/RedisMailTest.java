package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.store.NodeMail;
import io.tickwheel.store.redis.layout.HashSlots;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.HeldCalls;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.namespace.FormatCheck;
import io.tickwheel.store.redis.namespace.Membership;
import io.tickwheel.store.redis.namespace.NamespaceWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RedisMailTest implements NodeMail.Reader {

    private static final long TO = 0x8000_0000_0000_0005L;

    private final Layout layout = new Layout("t", 64);
    private final HeldCalls link = new HeldCalls();
    private final NamespaceWatch namespace =
            new NamespaceWatch(layout, new FormatCheck(link, layout, Duration.ofSeconds(5)), link);
    private final RedisMail mail = new RedisMail(layout, link, new Membership(layout, namespace, "n", 77, 5_000, 0));
    private final List<byte[]> read = new ArrayList<>();
    private final List<Long> notArrived = new ArrayList<>();

    @Override
    public void read(byte[] came) {
        read.add(came);
    }

    @Override
    public void notArrived(long to) {
        notArrived.add(to);
    }

    @Test
    void messageGoesToTheChannelOfItsReader() {
        assertThat(mail.self()).isEqualTo(77);
        byte[] bytes = {0, -1, 5};
        assertThat(mail.send(TO, bytes)).isTrue();
        Call call = link.sent.get(0);
        assertThat(call.command).isEqualTo("PUBLISH");
        assertThat(call.slot).isEqualTo((int) Long.remainderUnsigned(TO, HashSlots.COUNT));
        assertThat(call.arguments).containsExactly(Layout.bytes("t:node:mail:8000000000000005"), bytes);
    }

    @Test
    void everyByteIsReadAsItWasSent() {
        mail.came("nobody reads yet");
        mail.start(this);
        mail.came("\0\u00ff\5");
        assertThat(read).containsExactly(new byte[] {0, -1, 5});
    }

    @Test
    void senderHearsThatNobodyHasHeardIt() {
        mail.send(TO, new byte[1]);
        link.answer(0L);
        mail.start(this);
        for (int i = 0; i < 3; i++) {
            mail.send(TO + i, new byte[1]);
        }
        link.answer(1L);
        assertThat(notArrived).isEmpty();
        link.answer(0L);
        link.fail(Reply.Outcome.UNKNOWN);
        assertThat(notArrived).containsExactly(TO + 1, TO + 2);
    }

    /** A master counts only those who listen to itself. */
    @Test
    void onAClusterWhatWasTakenIsNotKnownToBeLost() {
        link.isCluster = true;
        mail.start(this);
        mail.send(TO, new byte[1]);
        mail.send(TO, new byte[1]);
        link.answer(0L);
        assertThat(notArrived).isEmpty();
        link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(notArrived).containsExactly(TO);
    }

    @Test
    void whatIsOnItsWayIsBounded() {
        byte[] largest = new byte[NodeMail.MOST_BYTES];
        int most = RedisMail.MOST_BYTES_SENT / largest.length;
        for (int i = 0; i < most; i++) {
            assertThat(mail.send(TO, largest)).isTrue();
        }
        assertThat(mail.send(TO, new byte[1])).isFalse();
        assertThat(mail.send(TO, new byte[0])).isTrue();
        link.fail(Reply.Outcome.UNAVAILABLE);
        assertThat(mail.send(TO, largest)).isTrue();
        assertThat(mail.send(TO, new byte[1])).isFalse();
        assertThat(link.sent).hasSize(most + 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> mail.send(TO, new byte[NodeMail.MOST_BYTES + 1]))
                .withMessage("mail has 262145 bytes, must have at most 262144");
    }
}
