package io.tickwheel.store.redis.namespace;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.HeldCalls;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is asked for each level, of a server that no other test has. */
final class RightsCheckTest {

    /** A server that denies a plain command. */
    private static final class Denying extends PassingLink {

        private final String denied;

        Denying(String denied) {
            super(new HeldCalls());
            this.denied = denied;
        }

        @Override
        public Reply await(Call call, Duration timeout) {
            if (call.script != null) {
                return new Reply(Reply.Outcome.DONE, List.of(), "", 1);
            }
            return call.command.equals(denied)
                    ? new Reply(Reply.Outcome.REFUSED, null, "NOPERM this user has no permissions", 1)
                    : new Reply(Reply.Outcome.DONE, 0L, "", 1);
        }
    }

    private static void check(String denied, Durability durability) {
        new RightsCheck(new Denying(denied), new Layout("test", 2), Duration.ofSeconds(1)).check(durability);
    }

    @Test
    void whoeverWaitsMustBeAllowedWhatItWaitsWith() {
        assertThatThrownBy(() -> check("WAIT", Durability.replicated(1)))
                .isInstanceOf(StoreException.class)
                .hasMessage("the user of Redis is denied WAIT, must be allowed all that nodes need");
        assertThatThrownBy(() -> check("WAITAOF", Durability.fsync(1)))
                .isInstanceOf(StoreException.class)
                .hasMessage("the user of Redis is denied WAITAOF, must be allowed all that nodes need");
    }

    @Test
    void nobodyNeedsARightThatHeDoesNotUse() {
        assertThatCode(() -> check("WAITAOF", Durability.replicated(1))).doesNotThrowAnyException();
        assertThatCode(() -> check("WAIT", Durability.fsync(1))).doesNotThrowAnyException();
        assertThatCode(() -> check("WAIT", Durability.MEMORY)).doesNotThrowAnyException();
    }
}
