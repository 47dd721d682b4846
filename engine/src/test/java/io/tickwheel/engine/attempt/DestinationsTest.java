package io.tickwheel.engine.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.rule.DocumentQueues;
import io.tickwheel.store.Lane;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Where timers go, and their routes, which are kept with them: a version that reckons another would divide them anew. */
final class DestinationsTest {

    private static final Target PLAIN = (attempt, delivery) -> {};

    private static final Target BY_HOST = new Target() {
        @Override
        public void deliver(Attempt attempt, Delivery delivery) {}

        @Override
        public String route(String address) {
            return address.substring(0, address.indexOf('/'));
        }
    };

    private final Destinations destinations = new Destinations(Map.of("plain", PLAIN, "host", BY_HOST));

    private static long crc(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(UTF_8));
        return crc.getValue();
    }

    @Test
    void routeIsOfTheTargetAndWhatItSaysOfTheAddress() {
        assertThat(destinations.route(null)).isEqualTo(Lane.QUEUE_ROUTE);
        assertThat(destinations.route(new Destination("plain", "a/b"))).isEqualTo(crc("plain\0a/b"));
        assertThat(destinations.route(new Destination("host", "a/b"))).isEqualTo(crc("host\0a"));
        assertThat(destinations.route(new Destination("none", "a/b"))).isEqualTo(crc("none\0a/b"));
        assertThat(destinations.route(new Destination("plain", "\u00E4"))).isEqualTo(crc("plain\0\u00E4"));
    }

    @Test
    void routeStaysWhatItWas() {
        assertThat(destinations.route(new Destination("host", "shop:8080/x"))).isEqualTo(0x38EE079DL);
    }

    @Test
    void queueHasADestinationOnceOneIsSet() {
        Lane known = new Lane("known", Lane.QUEUE_ROUTE);
        assertThat(destinations.has(known)).isFalse();
        assertThat(destinations.has(new Lane("known", 7))).isTrue();
        assertThat(destinations.ofQueue("known")).isNull();
        destinations.setOfSettings("known", new Destination("host", "x/"));
        assertThat(destinations.has(known)).isTrue();
        assertThat(destinations.ofQueue("known")).isEqualTo(new Destination("host", "x/"));
        assertThat(destinations.has(new Lane("other", Lane.QUEUE_ROUTE))).isFalse();
        destinations.setOfSettings("known", null);
        assertThat(destinations.has(known)).isFalse();
    }

    @Test
    void handlerGoesOverTheSettings() {
        destinations.setHandler("known");
        destinations.setOfSettings("known", new Destination("host", "x/"));
        assertThat(destinations.ofQueue("known")).isEqualTo(new Destination(Destination.HANDLER, "known"));
        destinations.removeHandler("known");
        assertThat(destinations.ofQueue("known")).isEqualTo(new Destination("host", "x/"));
    }

    @Test
    void timersAreLeasedOfAQueueThatHasNothingElse() {
        assertThat(destinations.isPulled("known")).isFalse();
        destinations.setPulled("known");
        assertThat(destinations.isPulled("known")).isTrue();
        assertThat(destinations.ofQueue("known")).isEqualTo(new Destination(Destinations.PULL, "known"));
        assertThat(destinations.isPulled("other")).isFalse();
        destinations.setOfSettings("known", new Destination("host", "x/"));
        assertThat(destinations.isPulled("known")).isFalse();
        assertThat(destinations.ofQueue("known")).isEqualTo(new Destination("host", "x/"));
        destinations.setOfSettings("known", null);
        destinations.setHandler("known");
        assertThat(destinations.isPulled("known")).isFalse();
        destinations.removeHandler("known");
        assertThat(destinations.isPulled("known")).isTrue();
        destinations.removePulled("known");
        assertThat(destinations.isPulled("known")).isFalse();
        assertThat(destinations.ofQueue("known")).isNull();
    }

    /** Nothing is doubted of code of this program. */
    @Test
    void onlyWhatGoesWhereItsQueueGoesGoesToAHandler() {
        Lane known = new Lane("known", Lane.QUEUE_ROUTE);
        destinations.setHandler("known");
        assertThat(destinations.isHandled(known)).isTrue();
        assertThat(destinations.isHandled(new Lane("known", 7))).isFalse();
        assertThat(destinations.isHandled(new Lane("other", Lane.QUEUE_ROUTE))).isFalse();
        destinations.removeHandler("known");
        destinations.setOfSettings("known", new Destination("host", "x/"));
        assertThat(destinations.isHandled(known)).isFalse();
        assertThat(destinations.isHandled(new Lane(DocumentQueues.BULKS, Lane.QUEUE_ROUTE)))
                .as("runs of the engine itself")
                .isTrue();
    }
}
