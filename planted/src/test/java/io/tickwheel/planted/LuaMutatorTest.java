package io.tickwheel.planted;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LuaMutatorTest {

    private static final String SCRIPT = """
            -- 1 < 2 and not 3
            local from = -7
            if not found and a <= 'x < 1' then
              call('HDEL', KEYS[1], KEYS[2])
            end
            redis.call(
              'ZCARD', '(' .. from)
            local least = min(a + b, 0) -- or 5
            return {call('GET'), true}
            """;

    private static List<LuaMutant> mutants(String source) {
        return LuaMutator.mutants("tiny", source);
    }

    @Test
    void eachSmallChangeIsMadeOnce() {
        assertThat(mutants(SCRIPT))
                .extracting(LuaMutant::toString)
                .containsExactly(
                        "tiny:2 constant 7 -> 8",
                        "tiny:2 constant 7 -> 6",
                        "tiny:3 not not -> nothing",
                        "tiny:3 junction and -> or",
                        "tiny:3 comparison <= -> <",
                        "tiny:3 comparison <= -> >",
                        "tiny:4 call call('HDEL', KEYS[1], KEYS[2]) -> nothing",
                        "tiny:4 order KEYS[1], KEYS[2] -> KEYS[2], KEYS[1]",
                        "tiny:4 constant 1 -> 2",
                        "tiny:4 constant 1 -> 0",
                        "tiny:4 constant 2 -> 3",
                        "tiny:4 constant 2 -> 1",
                        "tiny:6 call redis.call( 'ZCARD', '(' .. from) -> nothing",
                        "tiny:7 bound '(' -> ''",
                        "tiny:8 extreme min -> max",
                        "tiny:8 sum + -> -",
                        "tiny:8 constant 0 -> 1",
                        "tiny:9 truth true -> false");
    }

    @Test
    void onlyTheChangeIsChanged() {
        String source = "local a = 1\n  call('DEL', a)\nreturn not  a == 2\n";
        assertThat(mutants(source))
                .extracting(LuaMutant::text)
                .containsExactly(
                        source.replace("= 1", "= 2"),
                        source.replace("= 1", "= 0"),
                        source.replace("call('DEL', a)", ""),
                        source.replace("not  ", ""),
                        source.replace("==", "~="),
                        source.replace("== 2", "== 3"),
                        source.replace("== 2", "== 1"));
    }

    @Test
    void sameChangesOfALineAreNumbered() {
        assertThat(mutants("return a == b, c == d\n"))
                .extracting(LuaMutant::toString)
                .containsExactly("tiny:1 comparison == -> ~=", "tiny:1 comparison == -> ~= #2");
    }
}
