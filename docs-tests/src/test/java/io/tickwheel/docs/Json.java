package io.tickwheel.docs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/** Reads JSON. */
final class Json {

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private Json() {}

    /** Returns the names of the fields at the top, and refuses what is not one JSON value. */
    static Set<String> names(String text) throws IOException {
        Set<String> names = new TreeSet<>();
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    names.add(parser.currentName());
                    parser.nextToken();
                    parser.skipChildren();
                }
            } else {
                parser.skipChildren();
            }
            if (parser.nextToken() != null) {
                throw new IOException("behind the value there is " + parser.getText());
            }
        }
        return names;
    }
}
