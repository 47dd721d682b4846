package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a body that is one JSON object, at most {@value #MAX_NESTING} levels deep, without a name twice. */
final class JsonBody {

    static final int MAX_NESTING = 64;

    /** A text may be as long as its body, which is limited itself: the parser's own limit is less than a large payload in Base64. */
    static final StreamReadConstraints LIMITS = StreamReadConstraints.builder()
            .maxNestingDepth(MAX_NESTING)
            .maxStringLength(Integer.MAX_VALUE)
            .build();

    /** Where the parser begins to speak of its source or its settings. */
    private static final Pattern OF_PARSER = Pattern.compile(
            ":? ?\\((start marker|for (Array|Object|root)|not recognized)|: enable |: maybe a |\\[Source");

    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(LIMITS)
            .build();

    private JsonBody() {}

    /** Reads the fields of the object, to its end. */
    interface Fields<T> {

        T read(JsonParser json) throws IOException;
    }

    static <T> T read(byte[] bytes, Fields<T> fields) {
        return read(bytes, 0, bytes.length, fields);
    }

    /**
     * Reads the bytes between two indexes.
     *
     * @param fields given the parser at the beginning of the object
     * @throws ProblemException when they are not one JSON object, or {@code fields} refuses one of its fields
     */
    static <T> T read(byte[] bytes, int from, int to, Fields<T> fields) {
        return read(bytes, from, to, fields, true);
    }

    /** Reads a body of which no part may be in a refusal but the names of fields: what is wrong with it may be a secret. */
    static <T> T readSecret(byte[] bytes, Fields<T> fields) {
        return read(bytes, 0, bytes.length, fields, false);
    }

    private static <T> T read(byte[] bytes, int from, int to, Fields<T> fields, boolean mayQuote) {
        JsonBytes.check(bytes, from, to);
        try (JsonParser json = JSON.createParser(bytes, from, to - from)) {
            try {
                return read(json, fields);
            } catch (StreamConstraintsException e) {
                throw FieldValues.problem(ProblemCode.JSON_LIMIT, limit(json));
            } catch (IOException | IllegalStateException e) {
                throw malformed(json, e, mayQuote);
            }
        } catch (IOException e) {
            throw FieldValues.problem(ProblemCode.MALFORMED_JSON, "the body cannot be read");
        }
    }

    private static <T> T read(JsonParser json, Fields<T> fields) throws IOException {
        JsonToken start = json.nextToken();
        if (start == null) {
            throw FieldValues.problem(ProblemCode.MALFORMED_JSON, "the body is empty, must be a JSON object");
        }
        if (start != JsonToken.START_OBJECT) {
            throw FieldValues.problem(ProblemCode.WRONG_TYPE, "the body must be a JSON object");
        }
        T read = fields.read(json);
        if (json.nextToken() != null) {
            throw FieldValues.problem(ProblemCode.MALFORMED_JSON, "the body goes on after the object, must end there");
        }
        return read;
    }

    /** Which rule the parser goes by, not in its words: they are about its own settings. */
    private static String limit(JsonParser json) {
        long at = Math.max(0, json.currentLocation().getByteOffset());
        return "near byte " + at + ", the body must be nested at most " + MAX_NESTING + " deep, have names of at most "
                + LIMITS.getMaxNameLength() + " characters, and numbers of at most " + LIMITS.getMaxNumberLength();
    }

    /** What is wrong, without what the parser says of itself: its source, and what could be switched on. */
    private static String why(Exception e, String message) {
        if (e instanceof JsonEOFException) {
            return "it ends before the object does";
        }
        Matcher own = OF_PARSER.matcher(message);
        return own.find() ? message.substring(0, own.start()) : message;
    }

    /** The parser's message without its position words, which quote the source. */
    private static ProblemException malformed(JsonParser json, Exception e, boolean mayQuote) {
        String name = json.getParsingContext().getCurrentName();
        String message =
                e instanceof JsonProcessingException parsing ? parsing.getOriginalMessage() : "names that collide";
        if (message.startsWith("Duplicate ") && name != null) {
            String shown = Excerpt.of(name);
            return FieldValues.problem(
                    ProblemCode.DUPLICATE_FIELD,
                    "field " + Excerpt.quoted(name) + " is there twice, " + ScheduleBodyReader.NO_FIELD_TWICE,
                    shown);
        }
        long at = Math.max(0, json.currentLocation().getByteOffset());
        String why = mayQuote ? ": " + Excerpt.of(why(e, message)) : "";
        return FieldValues.problem(ProblemCode.MALFORMED_JSON, "the body is not JSON near byte " + at + why);
    }
}
