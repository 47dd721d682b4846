package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.tickwheel.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a broker is connected to, and what is left of a connection, with connections to nobody. */
final class BrokerTest {

    private final ManualClock clock = new ManualClock();
    private final List<ConnectionToNobody> made = new ArrayList<>();
    private boolean isAway;
    private boolean closesMeanwhile;

    private final Broker broker = new Broker(
            new ConnectionFactory() {
                @Override
                public Connection newConnection() throws IOException {
                    ConnectionToNobody next = new ConnectionToNobody();
                    made.add(next);
                    if (closesMeanwhile) {
                        broker.close();
                    }
                    if (isAway) {
                        throw new IOException("nobody is there");
                    }
                    return next.connection();
                }
            },
            clock);

    private void assertAway(String reason) {
        assertThat(broker.away()).endsWith(reason);
        assertThatThrownBy(broker::channel).isInstanceOf(IOException.class).hasMessageEndingWith(reason);
    }

    @Test
    void channelsAreOfOneConnectionAsLongAsThatIsOpen() throws IOException {
        Channel first = broker.channel();
        assertThat(broker.channel().getConnection()).isSameAs(first.getConnection());
        made.get(0).abort();
        assertThat(broker.channel().getConnection()).isNotSameAs(first.getConnection());
        assertThat(made).hasSize(2);
    }

    @Test
    void brokerThatIsAwayIsLookedForOnceInASecond() throws IOException {
        isAway = true;
        assertThatThrownBy(broker::channel).hasMessageEndingWith("is away: nobody is there");
        assertAway("is away: nobody is there");
        clock.advance(Duration.ofMillis(999));
        assertAway("is away: nobody is there");
        assertThat(made).hasSize(1);
        clock.advance(Duration.ofMillis(1));
        assertThat(broker.away()).isNull();
        assertThatThrownBy(broker::channel).isInstanceOf(IOException.class);
        assertThat(made).hasSize(2);
        isAway = false;
        clock.advance(Duration.ofSeconds(1));
        assertThat(broker.channel()).isNotNull();
        assertThat(broker.away()).isNull();
    }

    /** The broker that comes back says of an alarm that it still has. */
    @Test
    void alarmEndsWithItsConnection() throws IOException {
        var unused = broker.channel();
        made.get(0).block("low on memory");
        assertAway("takes no messages: low on memory");
        made.get(0).end(new ShutdownSignalException(true, false, null, null));
        assertThat(broker.away()).isNull();
        assertThat(broker.channel()).isNotNull();
        assertThat(made).hasSize(2);
    }

    @Test
    void connectionThatIsSilentIsLeftAndTheNextOneIsNot() throws IOException {
        Connection silent = broker.channel().getConnection();
        broker.drop(silent);
        assertThat(made.get(0).isAborted()).isTrue();
        var unused = broker.channel();
        broker.drop(silent);
        assertThat(made.get(1).isAborted()).isFalse();
        assertThat(broker.channel().getConnection()).isSameAs(made.get(1).connection());
        assertThat(made).hasSize(2);
    }

    @Test
    void connectionThatComesUpWhileItIsClosedIsClosed() {
        closesMeanwhile = true;
        assertThatThrownBy(broker::channel)
                .isInstanceOf(IOException.class)
                .hasCauseInstanceOf(AlreadyClosedException.class);
        assertThat(made.get(0).isAborted()).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThatThrownBy(broker::channel).hasMessage("the target is closed");
        assertThat(made).hasSize(1);
    }
}
