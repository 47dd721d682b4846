package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.LinkedHashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which field a refusal names, and why. */
final class TargetFieldsTest {

    private static void assertRefused(
            ThrowingCallable call, String code, @Nullable Object value, String field, String rule) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(call)
                .withMessage(rule)
                .satisfies(refusal -> {
                    assertThat(refusal.code()).isEqualTo(code);
                    assertThat(refusal.field()).isEqualTo(field);
                    assertThat(refusal.value()).isEqualTo(value);
                });
    }

    @Test
    void fieldIsNamedWithAllThatAreAroundIt() {
        Map<String, Object> options = Map.of("retries", 12L, "speed", "high");
        TargetFields fields = TargetFields.of(Map.of("mail", Map.of("to", "a@b", "options", options)))
                .object("mail", "to", "options")
                .object("options", "retries", "speed");
        assertThat(fields.integer("retries", 0, 12)).isEqualTo(12);
        assertRefused(
                () -> fields.integer("retries", 0, 11), "out_of_range", 12L, "mail.options.retries", "must be 0 to 11");
        assertRefused(
                () -> fields.bool("speed", true), "wrong_type", "high", "mail.options.speed", "must be true or false");
        assertRefused(
                () -> fields.text("absent"),
                "invalid_target",
                null,
                "mail.options.absent",
                "is missing, must be a string");
    }

    @Test
    void unknownFieldIsNamedWithAllThatAreAroundIt() {
        TargetFields mail = TargetFields.of(Map.of("mail", Map.of("options", Map.of("colour", "red"))))
                .object("mail", "options");
        assertRefused(
                () -> mail.object("options", "retries"),
                "unknown_field",
                null,
                "mail.options.colour",
                "is not known, must not be sent");
    }

    @Test
    void fieldThatIsNullIsThereAndIsOfNoType() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("text", null);
        TargetFields fields = TargetFields.of(values);
        assertThat(fields.has("text")).isTrue();
        assertThat(fields.text("other", "else")).isEqualTo("else");
        assertRefused(() -> fields.text("text", "else"), "wrong_type", null, "text", "must be a string");
        assertRefused(() -> fields.bool("text", true), "wrong_type", null, "text", "must be true or false");
    }
}
