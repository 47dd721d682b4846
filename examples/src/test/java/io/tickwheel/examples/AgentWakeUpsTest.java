package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.examples.AgentWakeUps.Sleep;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AgentWakeUpsTest {

    private static final Duration THREE_DAYS = Duration.ofDays(3);
    private static final Duration MOMENT = Duration.ofMillis(1);

    @TempDir
    private Path folder;

    @Test
    void agentIsWokenInThreeDaysWithWhatItWantedToRemember() throws InterruptedException {
        try (LiveTimeline time = new LiveTimeline(folder)) {
            AgentWakeUps agents = countingTo(time, 0);
            agents.sleep("a", new Sleep(THREE_DAYS, "0")).join();
            assertThat(time.after(THREE_DAYS.minus(MOMENT))).isEmpty();
            assertThat(time.after(MOMENT)).containsExactly("a wakes with 0");
            assertThat(time.after(Duration.ofDays(365))).isEmpty();
        }
    }

    @Test
    void agentSleepsOnWithAnotherStateUntilItIsDone() throws InterruptedException {
        try (LiveTimeline time = new LiveTimeline(folder)) {
            AgentWakeUps agents = countingTo(time, 2);
            agents.sleep("a", new Sleep(THREE_DAYS, "0")).join();
            assertThat(time.after(THREE_DAYS)).containsExactly("a wakes with 0");
            assertThat(time.after(THREE_DAYS.minus(MOMENT))).isEmpty();
            assertThat(time.after(MOMENT)).containsExactly("a wakes with 1");
            assertThat(time.after(THREE_DAYS)).containsExactly("a wakes with 2");
            assertThat(time.after(Duration.ofDays(365))).isEmpty();
        }
    }

    @Test
    void sleepingAgentRemembersAcrossARestart() throws InterruptedException {
        try (LiveTimeline time = new LiveTimeline(folder)) {
            countingTo(time, 0).sleep("a", new Sleep(THREE_DAYS, "7")).join();
        }
        try (LiveTimeline time = new LiveTimeline(folder)) {
            countingTo(time, 0);
            assertThat(time.after(THREE_DAYS)).containsExactly("a wakes with 7");
        }
    }

    @Test
    void cancelledAgentIsNotWoken() throws InterruptedException {
        try (LiveTimeline time = new LiveTimeline(folder)) {
            AgentWakeUps agents = countingTo(time, 0);
            agents.sleep("a", new Sleep(THREE_DAYS, "0")).join();
            assertThat(agents.cancel("a").join()).isTrue();
            assertThat(agents.cancel("nobody").join()).isFalse();
            assertThat(time.after(THREE_DAYS)).isEmpty();
        }
    }

    @Test
    void alarmIsArmedAnew() throws InterruptedException {
        try (LiveTimeline time = new LiveTimeline(folder)) {
            AgentWakeUps agents = countingTo(time, 0);
            agents.sleep("a", new Sleep(THREE_DAYS, "0")).join();
            assertThat(agents.sleepFor("a", Duration.ofDays(5)).join()).isTrue();
            assertThat(time.after(Duration.ofDays(4))).isEmpty();
            agents.sleep("a", new Sleep(THREE_DAYS, "1")).join();
            assertThat(time.after(THREE_DAYS.minus(MOMENT))).isEmpty();
            assertThat(time.after(MOMENT)).containsExactly("a wakes with 1");
            assertThat(agents.sleepFor("a", THREE_DAYS).join()).isFalse();
        }
    }

    @Test
    void alarmThatIsArmedAnewWhileTheAgentIsAwakeHolds() throws InterruptedException {
        try (LiveTimeline time = new LiveTimeline(folder)) {
            AgentWakeUps[] agents = new AgentWakeUps[1];
            agents[0] = new AgentWakeUps(time.timers(), (agent, state) -> {
                time.note(agent + " wakes with " + state);
                if (state.equals("0")) {
                    agents[0]
                            .sleep(agent, new Sleep(Duration.ofDays(1), "from outside"))
                            .join();
                    return Optional.of(new Sleep(THREE_DAYS, "its own"));
                }
                return Optional.empty();
            });
            agents[0].sleep("a", new Sleep(THREE_DAYS, "0")).join();
            assertThat(time.after(THREE_DAYS)).containsExactly("a wakes with 0");
            assertThat(time.after(Duration.ofDays(1))).containsExactly("a wakes with from outside");
            assertThat(time.after(THREE_DAYS)).isEmpty();
        }
    }

    /** Agents whose state is a number, and who sleep on for three days with the next one until it is the last. */
    private static AgentWakeUps countingTo(LiveTimeline time, int last) {
        return new AgentWakeUps(time.timers(), (agent, state) -> {
            time.note(agent + " wakes with " + state);
            int number = Integer.parseInt(state);
            return number < last ? Optional.of(new Sleep(THREE_DAYS, Integer.toString(number + 1))) : Optional.empty();
        });
    }
}
