package io.tickwheel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimerPlanTest {

    @Test
    void aPayloadTellsItsNumberAndIsTheSameEachTime() {
        byte[] payload = TimerPlan.payload(4_711);
        assertThat(payload).hasSize(TimerPlan.PAYLOAD_BYTES).isEqualTo(TimerPlan.payload(4_711));
        assertThat(TimerPlan.number(payload)).isEqualTo(4_711);
        assertThat(payload).isNotEqualTo(TimerPlan.payload(4_712));
    }

    @Test
    void aPayloadOfAPeerTellsItsDueTimeToo() {
        PeerPayload timer = new PeerPayload(4_711, 1_800_000_000_000L);
        assertThat(timer.bytes()).hasSize(TimerPlan.PAYLOAD_BYTES);
        assertThat(PeerPayload.of(timer.bytes())).isEqualTo(timer);
    }
}
