package io.tickwheel.structure;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A module of the tree, and what it may know. A new module gets a row in {@link #ALL}.
 *
 * @param folder where it lies
 * @param root its package
 * @param kind what it is for
 * @param modules the folders of the modules that it may use
 * @param libraries the packages of others that it may use, beside the JDK's and jspecify
 */
record Module(String folder, String root, Kind kind, Set<String> modules, List<String> libraries) {

    private static final String ANY = "";

    /** What a module is for. */
    enum Kind {
        /** A part of Tickwheel that users take. */
        PUBLISHED,
        /** What tests are made of; held to the rules of main code, but never published. */
        KIT,
        /** Nothing but tests. */
        TESTS,
        /** A program that measures or tries: seen by nobody, never published, and with rules of its own. */
        PROGRAM
    }

    static final List<Module> ALL = List.of(
            new Module("structure", "io.tickwheel.structure", Kind.TESTS, Set.of()),
            new Module("wheel", "io.tickwheel.wheel", Kind.PUBLISHED, Set.of()),
            new Module("wheel-netty", "io.tickwheel.wheel.netty", Kind.PUBLISHED, Set.of("wheel"), "io.netty.util"),
            new Module("store", "io.tickwheel.store", Kind.PUBLISHED, Set.of()),
            new Module("recurrence", "io.tickwheel.recurrence", Kind.PUBLISHED, Set.of()),
            new Module(
                    "engine",
                    "io.tickwheel.engine",
                    Kind.PUBLISHED,
                    Set.of("wheel", "store", "recurrence"),
                    "org.slf4j"),
            new Module(
                    "store-testkit",
                    "io.tickwheel.store.testkit",
                    Kind.KIT,
                    Set.of("store"),
                    "org.junit",
                    "org.assertj"),
            new Module("redis-testkit", "io.tickwheel.redis.testkit", Kind.KIT, Set.of()),
            new Module("testkit", "io.tickwheel.testkit", Kind.PUBLISHED, Set.of("store", "engine", "wheel")),
            new Module("store-file", "io.tickwheel.store.file", Kind.PUBLISHED, Set.of("store")),
            new Module(
                    "store-redis",
                    "io.tickwheel.store.redis",
                    Kind.PUBLISHED,
                    Set.of("store"),
                    "io.lettuce",
                    "io.netty",
                    "org.slf4j"),
            new Module("engine-tests", "io.tickwheel.engine.tests", Kind.TESTS, Set.of()),
            new Module(
                    "micrometer",
                    "io.tickwheel.micrometer",
                    Kind.PUBLISHED,
                    Set.of("engine", "store"),
                    "io.micrometer"),
            new Module(
                    "opentelemetry",
                    "io.tickwheel.opentelemetry",
                    Kind.PUBLISHED,
                    Set.of("engine", "store", "targets/message"),
                    "io.opentelemetry",
                    "org.slf4j"),
            new Module(
                    "targets/rabbitmq",
                    "io.tickwheel.target.rabbitmq",
                    Kind.PUBLISHED,
                    Set.of("engine", "store", "targets/message"),
                    "com.rabbitmq.client",
                    "org.slf4j"),
            new Module("targets/message", "io.tickwheel.target.message", Kind.PUBLISHED, Set.of("engine", "store")),
            new Module(
                    "targets/kafka",
                    "io.tickwheel.target.kafka",
                    Kind.PUBLISHED,
                    Set.of("engine", "store", "targets/message"),
                    "org.apache.kafka",
                    "org.slf4j"),
            new Module(
                    "targets/rocketmq",
                    "io.tickwheel.target.rocketmq",
                    Kind.PUBLISHED,
                    Set.of("engine", "targets/message"),
                    "org.apache.rocketmq.client",
                    "org.slf4j"),
            new Module(
                    "targets/redis-streams",
                    "io.tickwheel.target.redis",
                    Kind.PUBLISHED,
                    Set.of("engine", "store", "targets/message"),
                    "io.lettuce",
                    "io.netty",
                    "org.slf4j"),
            new Module(
                    "server",
                    "io.tickwheel.server",
                    Kind.PUBLISHED,
                    Set.of(
                            "engine",
                            "store",
                            "store-file",
                            "store-redis",
                            "micrometer",
                            "opentelemetry",
                            "recurrence",
                            "targets/message"),
                    ANY),
            new Module("distribution", "io.tickwheel.distribution", Kind.PROGRAM, Set.of()),
            new Module("examples", "io.tickwheel.examples", Kind.PROGRAM, Set.of()),
            new Module("docs-tests", "io.tickwheel.docs", Kind.PROGRAM, Set.of()),
            new Module("planted", "io.tickwheel.planted", Kind.PROGRAM, Set.of()),
            new Module("module-path", "io.tickwheel.modules", Kind.PROGRAM, Set.of()),
            new Module("wheel-stress", "io.tickwheel.stress", Kind.PROGRAM, Set.of()),
            new Module("benchmarks", "io.tickwheel.benchmarks", Kind.PROGRAM, Set.of()));

    Module(String folder, String root, Kind kind, Set<String> modules, String... libraries) {
        this(folder, root, kind, modules, List.of(libraries));
    }

    /** Returns the modules with main code that is held to all rules. */
    static List<Module> checked() {
        return ALL.stream()
                .filter(module -> module.kind == Kind.PUBLISHED || module.kind == Kind.KIT)
                .toList();
    }

    /** Returns the modules whose sources {@link CompiledTree} compiles: all but the programs, which need the libraries of their peers. */
    static List<Module> compiled() {
        return ALL.stream().filter(module -> module.kind != Kind.PROGRAM).toList();
    }

    static Module of(String folder) {
        return ALL.stream()
                .filter(module -> module.folder.equals(folder))
                .findFirst()
                .orElseThrow();
    }

    /** Asks whether a package is of this module. The longest root wins: {@code store.file} is no part of {@code store}. */
    boolean owns(String name) {
        return within(name, root)
                && ALL.stream()
                        .filter(other -> other.root.length() > root.length())
                        .noneMatch(other -> within(name, other.root));
    }

    /** Asks whether a package of this module is for other modules. */
    boolean shows(String name) {
        return name.equals(root) || name.equals(root + ".spi");
    }

    boolean mayUse(String name) {
        if (within(name, "io.tickwheel")) {
            return owns(name) || modules.stream().anyMatch(other -> of(other).owns(name));
        }
        return Stream.concat(Stream.of("java", "javax", "org.jspecify"), libraries.stream())
                .anyMatch(library -> within(name, library));
    }

    static boolean within(String name, String root) {
        return root.equals(ANY) || name.equals(root) || name.startsWith(root + ".");
    }
}
