package io.tickwheel.store.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which master is listened to, and when somebody is asked where they are; nothing is connected to. */
final class MastersTest {

    private static final Endpoint FIRST = new Endpoint("127.0.0.1", 1);
    private static final Endpoint SECOND = new Endpoint("127.0.0.1", 2);

    private long nowNanos;
    private final LinkContext context = new LinkContext(
            new ServerAddress(
                    ServerAddress.Kind.CLUSTER,
                    List.of(FIRST),
                    false,
                    false,
                    "",
                    new ServerAddress.Access(
                            ServerAddress.Login.NONE, ServerAddress.Login.NONE, null, null, null, true)),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            () -> nowNanos,
            new SplittableRandom(1),
            () -> {});

    @AfterEach
    void close() {
        context.dialer.close();
    }

    /** Nothing is sent. */
    private static final class NoCalls implements CallSink {

        @Override
        public void refused(PendingCall call, Session by, String error) {
            throw new AssertionError(error);
        }

        @Override
        public void executed(PendingCall call) {
            throw new AssertionError(call);
        }

        @Override
        public void settled(PendingCall call, Reply reply) {
            throw new AssertionError(reply);
        }

        @Override
        public void left(PendingCall call) {
            throw new AssertionError(call);
        }
    }

    /** Nobody has connected. */
    private static final class NoEvents implements ServerEvents {

        @Override
        public void lookAgain() {}

        @Override
        public void askAnother() {}

        @Override
        public void misfit(String problem) {
            throw new AssertionError(problem);
        }

        @Override
        public void foundOther(Endpoint server) {
            throw new AssertionError(server);
        }

        @Override
        public Link.@Nullable Greeting greeting() {
            return null;
        }
    }

    @Test
    void whoIsListenedToStaysTheOneAsLongAsItIsAMaster() {
        Routes routes = new Routes(context, new NoCalls(), new NoEvents());
        Endpoint[] masters = new Endpoint[16_384];
        for (int slot = 0; slot < masters.length; slot++) {
            masters[slot] = slot < 8_192 ? FIRST : SECOND;
        }
        assertThat(routes.setMasters(masters)).isTrue();
        assertThat(routes.anyMaster(SECOND)).isEqualTo(SECOND);
        assertThat(routes.anyMaster(FIRST)).isEqualTo(FIRST);
        assertThat(routes.anyMaster(null)).as("none has open connections").isNull();
        routes.setMaster(FIRST);
        assertThat(routes.anyMaster(SECOND)).isNull();
        assertThat(routes.anyMaster(FIRST)).isEqualTo(FIRST);
    }

    @Test
    void whoWantsTheMastersLookedAtPutsTheLookOffNever() {
        int[] asked = {0};
        TopologyRefresh refresh = new TopologyRefresh(
                context,
                new NoCalls(),
                false,
                () -> {
                    asked[0]++;
                    return List.of(FIRST);
                },
                reply -> {},
                "CLUSTER",
                "SLOTS");
        nowNanos += 1;
        refresh.lookAgain();
        refresh.care(nowNanos);
        assertThat(asked[0]).isEqualTo(1);
    }
}
