package io.tickwheel.store.redis.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a node of a cluster says of its masters. */
class TopologyTest {

    private static final Endpoint TELLER = new Endpoint("teller.example", 7000);

    private static List<Object> range(long first, long last, String host, long port) {
        return List.of(first, last, List.of(host.getBytes(StandardCharsets.UTF_8), port));
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.1", "'', teller.example", "?, teller.example"})
    void nodeThatDoesNotKnowItsAddressIsTheOneThatWasAsked(String said, String host) {
        Endpoint[] masters = Topology.masters(new TopologyRefresh.Reply(TELLER, List.of(range(5, 7, said, 7001))));
        assertThat(masters[5]).isEqualTo(new Endpoint(host, 7001));
    }

    @Test
    void slotsAreThoseOfTheRangesWithTheirLast() {
        Endpoint[] masters = Topology.masters(
                new TopologyRefresh.Reply(TELLER, List.of(range(5, 7, "a", 1), range(16_383, 16_383, "b", 2))));
        assertThat(masters).hasSize(16_384);
        assertThat(masters[4]).isNull();
        assertThat(List.of(masters[5], masters[6], masters[7])).containsOnly(new Endpoint("a", 1));
        assertThat(masters[8]).isNull();
        assertThat(masters[16_383]).isEqualTo(new Endpoint("b", 2));
    }

    @Test
    void nodeThatKnowsNoMastersTellsNothing() {
        assertThatThrownBy(() -> Topology.masters(new TopologyRefresh.Reply(TELLER, List.of())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("knows no masters of a cluster");
    }
}
