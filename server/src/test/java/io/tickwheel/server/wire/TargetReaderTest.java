package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.Destination;
import io.tickwheel.server.targets.InstalledTargets;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Targets of bodies, as they are given to their kinds. */
final class TargetReaderTest {

    private static Destination read(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return TargetReader.read(parser, InstalledTargets.kinds());
        }
    }

    @Test
    void numbersUpToTheLargestAreRead() throws IOException {
        assertThat(read("{\"redisStream\":{\"maxLen\":1000000000000}}").address())
                .isEqualTo("~1000000000000 ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"redisStream":{"maxLen":1.5}}           | target.redisStream.maxLen is a number, must be
            {"redisStream":{"maxLen":1000000000001}} | target.redisStream.maxLen is 1000000000001, must be
            {"redisStream":{"maxLen":"many"}}        | target.redisStream.maxLen is a string, must be
            {"redisStream":{"maxLen":[7]}}           | target.redisStream.maxLen is an array, must be
            {"redisStream":{"maxLen":{"a":7}}}       | target.redisStream.maxLen is an object, must be
            {"redisStream":{"maxLen":true}}          | target.redisStream.maxLen is true, must be
            {"url":"ftp://a"}                        | target.url is "ftp://a", must be
            """)
    void refusalShowsTheTypeWhereItIsWrongAndElseTheValue(String json, String detail) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refusal -> assertThat(refusal.problem().detail()).startsWith(detail));
    }

    /** Also of what a long cannot hold. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"redisStream":{"maxLen":1000000000001}}        | OUT_OF_RANGE
            {"redisStream":{"maxLen":99999999999999999999}} | WRONG_TYPE
            {"redisStream":{"maxLen":1.5}}                  | WRONG_TYPE
            {"redisStream":{"maxLen":null}}                 | WRONG_TYPE
            {"url":"http://a","log":{}}                     | TARGET_AMBIGUOUS
            {"url":"ftp://a"}                               | INVALID_URL
            {"url":"http://a","method":"TRACE"}             | INVALID_METHOD
            {"redisStrem":{}}                               | UNKNOWN_FIELD
            """)
    void refusalHasTheCodeOfTheRule(String json, ProblemCode code) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refusal -> assertThat(refusal.problem().code()).isEqualTo(code));
    }
}
