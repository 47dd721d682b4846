package io.tickwheel.server;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API as its OpenAPI document describes it, to hold what was said against it. What a server takes must be in the document, and so must all that it answers: members
 * that the document does not have are refused here, though clients are to take them.
 */
public final class DescribedApi {

    private static final String PLACE = "https://tickwheel.test/openapi.json";
    private static final int MOST_LINES = 50;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** As it is served. */
    public static final JsonNode DOCUMENT = JSON.readTree(text());

    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            builder -> builder.schemas(Map.of(PLACE, closed(DOCUMENT).toString())));
    private static final Map<String, Schema> KNOWN = new ConcurrentHashMap<>();
    private static final Map<String, Pattern> PATHS = paths();

    /** The operations that were answered as the document says, with their status: {@code GET /livez 200}. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    private static String text() {
        try (InputStream in = DescribedApi.class.getResourceAsStream("http/openapi.json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Pattern> paths() {
        Map<String, Pattern> paths = new TreeMap<>();
        DOCUMENT.get("paths").propertyNames().forEach(path -> {
            StringBuilder pattern = new StringBuilder();
            for (String part : path.split("(?=\\{)|(?<=})", -1)) {
                pattern.append(part.startsWith("{") ? "[^/]+" : Pattern.quote(part));
            }
            paths.put(path, Pattern.compile(pattern.toString()));
        });
        return paths;
    }

    /** Has no object take members that it does not list, but for those that others are made of by {@code allOf}. */
    private static JsonNode closed(JsonNode document) {
        JsonNode copy = document.deepCopy();
        Set<String> bases = new HashSet<>();
        copy.findValues("allOf")
                .forEach(all -> all.forEach(
                        base -> bases.add(base.get("$ref").asString().replaceFirst(".*/", ""))));
        JsonNode schemas = copy.get("components").get("schemas");
        for (String base : bases) {
            // Alone it is closed as well, under another name.
            ObjectNode alone = (ObjectNode) schemas.get(base).deepCopy();
            ((ObjectNode) schemas).set("Open" + base, schemas.get(base));
            ((ObjectNode) schemas).set(base, alone);
        }
        close(copy);
        for (String base : bases) {
            ((ObjectNode) schemas.get("Open" + base)).remove("unevaluatedProperties");
        }
        return copy;
    }

    private static void close(JsonNode node) {
        if (node instanceof ObjectNode object) {
            boolean isSchema = object.has("allOf") || (object.has("properties") && object.has("type"));
            if (isSchema && !object.has("additionalProperties")) {
                object.put("unevaluatedProperties", false);
            }
            if (object.has("allOf")) {
                object.get("allOf")
                        .forEach(base -> ((ObjectNode) base)
                                .put("$ref", base.get("$ref").asString().replaceFirst("([^/]+)$", "Open$1")));
            }
        }
        node.forEach(DescribedApi::close);
    }

    /** The path of the document that a path is one of; null for none. */
    static String templateOf(String path) {
        String plain = path.split("\\?", 2)[0];
        // The names in the longest of them say most: what is written out comes before what may be anything.
        return PATHS.entrySet().stream()
                .filter(entry -> entry.getValue().matcher(plain).matches())
                .map(Map.Entry::getKey)
                .min((a, b) -> Integer.compare(variables(a), variables(b)))
                .orElse(null);
    }

    private static int variables(String path) {
        return path.split("\\{", -1).length;
    }

    /** Holds an answer, and what was asked if it was taken, against the document. */
    void check(String method, String path, byte[] body, int status, String type, String answer) {
        if (method.equals("HEAD") || method.equals("OPTIONS")) {
            return;
        }
        String template = templateOf(path);
        JsonNode operation =
                template == null ? null : DOCUMENT.get("paths").get(template).get(method.toLowerCase(Locale.ROOT));
        String what = method + " " + path + " -> " + status;
        JsonNode described =
                operation == null ? null : operation.get("responses").get(Integer.toString(status));
        if (described == null) {
            checkProblem(what, status, type, answer);
            return;
        }
        seen.add(method + " " + template + " " + status);
        checkQuery(what, operation, path);
        Map.Entry<String, JsonNode> content =
                described.get("content").properties().iterator().next();
        if (!type.startsWith(content.getKey())) {
            throw new AssertionError(what + " has the type " + type + ", described is " + content.getKey());
        }
        JsonNode ref = content.getValue().get("schema").get("$ref");
        boolean isLines = content.getKey().endsWith("ndjson");
        if (ref != null) {
            for (String line : lines(answer, isLines)) {
                check(what, ref.asString(), line);
            }
        }
        if (operation.has("requestBody") && body != null && body.length > 0) {
            checkTaken(what, operation.get("requestBody"), body, isLines ? lines(answer, true) : List.of());
        }
    }

    private static List<String> lines(String text, boolean many) {
        return many
                ? text.lines().filter(line -> !line.isBlank()).limit(MOST_LINES).toList()
                : List.of(text);
    }

    private static void checkProblem(String what, int status, String type, String answer) {
        if (status < 400 || !type.equals("application/problem+json")) {
            throw new AssertionError(what + " is not described: " + type + " " + answer);
        }
        check(what, "#/components/schemas/Problem", answer);
        String code = JSON.readTree(answer).get("code").asString();
        for (JsonNode known : DOCUMENT.at("/components/schemas/ProblemCode/oneOf")) {
            if (known.get("const").asString().equals(code)
                    && known.get("x-status").asInt() != status) {
                throw new AssertionError(what + " has the status of another code than " + code);
            }
        }
    }

    private static void checkQuery(String what, JsonNode operation, String path) {
        String[] parts = path.split("\\?", 2);
        for (String pair : parts.length == 1 ? new String[0] : parts[1].split("&", -1)) {
            String name = pair.split("=", 2)[0];
            if (!queryOf(operation).contains(name)) {
                throw new AssertionError(what + " took " + name + ", which is not described");
            }
        }
    }

    /** The names of the query parameters of an operation. */
    public static Set<String> queryOf(JsonNode operation) {
        Set<String> names = new HashSet<>();
        if (operation.has("parameters")) {
            operation.get("parameters").forEach(reference -> {
                JsonNode parameter =
                        DOCUMENT.at(reference.get("$ref").asString().substring(1));
                if (parameter.get("in").asString().equals("query")) {
                    names.add(parameter.get("name").asString());
                }
            });
        }
        return names;
    }

    /** What was taken is described: a client that keeps to the document could have sent it. */
    private static void checkTaken(String what, JsonNode described, byte[] body, List<String> results) {
        Map.Entry<String, JsonNode> content =
                described.get("content").properties().iterator().next();
        String ref = content.getValue().get("schema").get("$ref").asString();
        String text = new String(body, StandardCharsets.UTF_8);
        boolean isLines = content.getKey().endsWith("ndjson");
        List<String> lines = lines(text, isLines);
        for (int i = 0; i < lines.size(); i++) {
            if (!isLines || JSON.readTree(results.get(i)).get("status").asInt() < 300) {
                check(what + " of " + lines.get(i), ref, lines.get(i));
            }
        }
    }

    private static void check(String what, String ref, String text) {
        Schema schema = KNOWN.computeIfAbsent(ref, r -> SCHEMAS.getSchema(SchemaLocation.of(PLACE + r)));
        List<Error> errors = schema.validate(
                text,
                InputFormat.JSON,
                context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)));
        if (!errors.isEmpty()) {
            List<String> shown = new ArrayList<>();
            errors.forEach(error -> shown.add(error.toString()));
            throw new AssertionError(what + ": " + ref + " is not " + text + ": " + shown);
        }
    }

    /** What was answered as described. */
    public Set<String> seen() {
        return seen;
    }
}
