package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.QueueSettings;
import io.tickwheel.server.DescribedApi;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The OpenAPI document beside the server that serves it. Answers are held against its schemas by {@link RunningServer}, in all tests that call one. */
final class OpenApiTest {

    private static final JsonNode DOCUMENT = DescribedApi.DOCUMENT;
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Pattern KNOWN_PARAMETERS = Pattern.compile("must be one of \\[([^]]*)]");
    private static final String RUN = "/runs/{n}";

    @TempDir
    private static Path directory;

    private static Tokened api;

    /** An operation of the document. */
    record Operation(String path, String method, JsonNode described) {

        String samplePath() {
            return path.replace("{queue}", "q")
                    .replace("{key}", "k")
                    .replace("{n}", "1")
                    .replace("{id}", "0000000000000000")
                    .replace("{lease}", "none");
        }

        Route.Resource resource() {
            return Route.of(samplePath()).resource();
        }

        @Override
        public String toString() {
            return method + " " + path;
        }
    }

    @BeforeAll
    static void start() {
        api = new Tokened(new RunningServer(Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory))));
    }

    @AfterAll
    static void stop() {
        api.server().close();
    }

    static List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path : DOCUMENT.get("paths").properties()) {
            for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
                operations.add(
                        new Operation(path.getKey(), method.getKey().toUpperCase(Locale.ROOT), method.getValue()));
            }
        }
        return operations;
    }

    static Stream<Operation> withBody() {
        return operations().stream().filter(operation -> operation.described().has("requestBody"));
    }

    @Test
    void documentIsServedAsItIs() {
        Reply reply = api.server().get("/openapi.json");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(JSON.readTree(reply.body())).isEqualTo(DOCUMENT);
        assertThat(DOCUMENT.get("openapi").asString()).isEqualTo("3.1.0");
    }

    @Test
    void everyMethodOfEveryRouteIsDescribedAndNoOther() {
        Set<String> described = operations().stream()
                .map(operation -> operation.method() + " " + operation.resource())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> there = new TreeSet<>();
        for (Route.Resource resource : Route.Resource.values()) {
            for (String method : resource.allow().split(", ", -1)) {
                if (!method.equals("HEAD") && !method.equals("OPTIONS")) {
                    there.add(method + " " + resource);
                }
            }
        }
        assertThat(described).isEqualTo(there);
        assertThat(operations())
                .allMatch(operation -> operation.resource().allows(HttpMethod.valueOf(operation.method())));
    }

    @Test
    void whatARunTakesIsDescribedOfRunsToo() {
        Set<String> described = operations().stream().map(Operation::toString).collect(Collectors.toSet());
        int runs = 0;
        for (Operation operation : operations()) {
            String ofRun = operation.path().replace("/timers/{key}", "/timers/{key}" + RUN);
            boolean isOfTimer = operation.path().contains("/timers/{key}")
                    && !operation.path().contains(RUN);
            if (isOfTimer && !operation.method().equals("PUT") && isRoute(ofRun)) {
                runs++;
                assertThat(described).contains(operation.method() + " " + ofRun);
            }
        }
        assertThat(runs).isEqualTo(7);
        assertThat(api.admin("PUT", "/v1/queues/q/timers/k/runs/1", "{\"delay\":\"1h\"}")
                        .field("detail"))
                .isEqualTo("method is PUT, must be GET, HEAD, DELETE, OPTIONS");
    }

    private static boolean isRoute(String path) {
        try {
            return Route.of(new Operation(path, "GET", DOCUMENT).samplePath()) != null;
        } catch (ProblemException e) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void scopesAreThoseOfTheRoute(Operation operation) {
        Set<Scope> described = EnumSet.noneOf(Scope.class);
        operation
                .described()
                .get("security")
                .forEach(way -> way.get("bearer").forEach(scope -> described.add(Scope.of(scope.asString()))));
        Set<Scope> needed = EnumSet.noneOf(Scope.class);
        needed.addAll(operation.resource().needed(operation.method()));
        if (!needed.isEmpty()) {
            needed.add(Scope.ADMIN);
        }
        assertThat(described).isEqualTo(needed);
    }

    /** The server names the parameters that it knows to who sends one that it does not know. */
    @ParameterizedTest
    @MethodSource("operations")
    void queryParametersAreThoseThatTheServerKnows(Operation operation) {
        Reply refused = api.admin(operation.method(), operation.samplePath() + "?nosuch=1", null);
        assertThat(refused.field("code")).isEqualTo("unknown_parameter");
        Matcher known = KNOWN_PARAMETERS.matcher(refused.body());
        Set<String> names = known.find() ? Set.of(known.group(1).split(", ", -1)) : Set.of();
        assertThat(DescribedApi.queryOf(operation.described())).isEqualTo(names);
    }

    @ParameterizedTest
    @MethodSource("operations")
    void parametersOfThePathAreThoseOfTheOperation(Operation operation) {
        Set<String> described = new HashSet<>();
        if (operation.described().has("parameters")) {
            for (JsonNode reference : operation.described().get("parameters")) {
                JsonNode parameter =
                        DOCUMENT.at(reference.get("$ref").asString().substring(1));
                assertThat(parameter.isMissingNode()).as("%s", reference).isFalse();
                if (parameter.get("in").asString().equals("path")) {
                    described.add("{" + parameter.get("name").asString() + "}");
                }
            }
        }
        Set<String> there = Pattern.compile("\\{[a-z]+}")
                .matcher(operation.path())
                .results()
                .map(found -> found.group())
                .collect(Collectors.toSet());
        assertThat(described).isEqualTo(there);
    }

    /** What is accepted though it is not described is found in all tests that send it. */
    @ParameterizedTest
    @MethodSource("withBody")
    void fieldsOfBodiesAreKnownToTheServer(Operation operation) {
        Map.Entry<String, JsonNode> content = operation
                .described()
                .get("requestBody")
                .get("content")
                .properties()
                .iterator()
                .next();
        JsonNode schema = DOCUMENT.at(
                content.getValue().get("schema").get("$ref").asString().substring(1));
        assertThat(schema.get("additionalProperties").asBoolean()).isFalse();
        Set<String> unknown = Set.of("unknown_field", "field_not_allowed");
        for (String name : schema.get("properties").propertyNames()) {
            assertThat(code(operation, content.getKey(), "{\"" + name + "\":null}"))
                    .as(name)
                    .isNotIn(unknown);
        }
        assertThat(code(operation, content.getKey(), "{\"nosuch\":null}")).isIn(unknown);
    }

    private static String code(Operation operation, String type, String body) {
        return api.server()
                .send(
                        operation.method(),
                        operation.samplePath(),
                        type,
                        body,
                        "Authorization",
                        "Bearer " + Tokened.ADMIN.reveal())
                .field("code");
    }

    @Test
    void problemCodesAreThoseOfTheServer() {
        Set<String> described = new HashSet<>();
        for (JsonNode code : DOCUMENT.at("/components/schemas/ProblemCode/oneOf")) {
            described.add(code.get("const").asString() + " " + code.get("x-status") + " "
                    + code.get("title").asString());
        }
        assertThat(described)
                .isEqualTo(Arrays.stream(ProblemCode.values())
                        .map(OpenApiTest::written)
                        .collect(Collectors.toSet()));
    }

    private static String written(ProblemCode code) {
        JsonOut out = new JsonOut(256);
        new Problem(code, "why").write(out);
        JsonNode problem = JSON.readTree(out.toBuffer().toString(StandardCharsets.UTF_8));
        return code.code() + " " + problem.get("status") + " "
                + problem.get("title").asString();
    }

    @Test
    void settingsOfQueuesAreThoseOfTheEngine() {
        Set<String> fields = Arrays.stream(QueueSettings.Field.values())
                .map(QueueSettings.Field::text)
                .collect(Collectors.toSet());
        for (String name : List.of("QueueSettings", "QueueChange", "ShownSettings")) {
            assertThat(DOCUMENT.at("/components/schemas/" + name + "/properties")
                            .propertyNames())
                    .as(name)
                    .containsExactlyInAnyOrderElementsOf(fields);
        }
    }

    @Test
    void scopesAreThoseOfTokens() {
        assertThat(DOCUMENT.at("/components/schemas/Scope/enum").valueStream().map(JsonNode::asString))
                .containsExactlyElementsOf(
                        Arrays.stream(Scope.values()).map(Scope::word).toList());
    }

    @Test
    void everyReferenceLeadsSomewhereAndEveryComponentIsUsed() {
        Set<String> used = DOCUMENT.findValues("$ref").stream()
                .map(JsonNode::asString)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> there = new TreeSet<>();
        for (String kind : List.of("parameters", "responses", "schemas")) {
            DOCUMENT.get("components")
                    .get(kind)
                    .propertyNames()
                    .forEach(name -> there.add("#/components/" + kind + "/" + name));
        }
        assertThat(used).isEqualTo(there);
    }

    @Test
    void operationsHaveNamesOfTheirOwn() {
        assertThat(operations())
                .extracting(
                        operation -> operation.described().get("operationId").asString())
                .doesNotHaveDuplicates();
    }
}
