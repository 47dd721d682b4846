package io.tickwheel.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class GraphTest {

    @Test
    void circlesAreThoseThatReachEachOther() {
        Graph graph = new Graph();
        graph.arrow("a", "b");
        graph.arrow("b", "c");
        graph.arrow("c", "a");
        graph.arrow("c", "d");
        graph.arrow("d", "e");
        graph.arrow("e", "d");
        graph.arrow("e", "f");
        graph.node("g");
        assertThat(graph.circles()).containsExactly(List.of("a", "b", "c"), List.of("d", "e"));
        assertThat(graph.reach("d")).containsExactlyInAnyOrder("d", "e", "f");
    }
}
