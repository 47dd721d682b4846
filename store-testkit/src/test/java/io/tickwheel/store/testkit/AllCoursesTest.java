package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class AllCoursesTest {

    @Test
    void eachCombinationOfTheFirstChoicesIsMadeOnce() {
        List<String> seen = new ArrayList<>();
        int courses = AllCourses.walk(2, 100, choices -> seen.add(choices.nextInt(2) + "" + choices.nextInt(3)));
        assertThat(courses).isEqualTo(6);
        assertThat(seen).containsExactly("00", "01", "02", "10", "11", "12");
    }

    @Test
    void aChoiceMayDependOnThoseBefore() {
        Set<String> seen = new TreeSet<>();
        int courses = AllCourses.walk(
                3, 100, choices -> seen.add(choices.nextInt(2) == 0 ? "short" : "long" + choices.nextInt(4)));
        assertThat(courses).isEqualTo(5);
        assertThat(seen).containsExactly("long0", "long1", "long2", "long3", "short");
    }

    @Test
    void choicesBehindTheFirstTakeTurns() {
        List<String> seen = new ArrayList<>();
        AllCourses.walk(1, 100, choices -> {
            StringBuilder course = new StringBuilder();
            for (int i = 0; i < 4; i++) {
                course.append(choices.nextInt(2));
            }
            seen.add(course.toString());
        });
        assertThat(seen).containsExactly("0010", "1010");
    }

    @Test
    void aCourseThatFailsIsToldByItsChoicesAndCanBeRunAgain() {
        assertThatThrownBy(() -> AllCourses.walk(2, 100, choices -> {
                    int sum = choices.nextInt(3) + choices.nextInt(3);
                    assertThat(sum).isNotEqualTo(3);
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("the course of choices [1, 2]");
        List<Integer> again = new ArrayList<>();
        AllCourses.again(List.of(1, 2), choices -> again.add(choices.nextInt(3) + choices.nextInt(3)));
        assertThat(again).containsExactly(3);
    }

    @Test
    void moreCoursesThanAllowedAreAnError() {
        assertThatThrownBy(() -> AllCourses.walk(3, 7, choices -> {
                    choices.nextInt(2);
                    choices.nextInt(2);
                    choices.nextInt(2);
                }))
                .hasMessage("there are more than 7 courses");
    }
}
