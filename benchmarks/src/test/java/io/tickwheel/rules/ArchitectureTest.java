package io.tickwheel.rules;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.lang.conditions.ArchConditions.haveModifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The shape of the tree: who may know whom, what is public, what things are called. Reads the compiled classes of every
 * module from its folder, so a class counts for the module that it lies in, whatever its package says.
 */
final class ArchitectureTest {
    private static final String ANY = "";

    /** A new module gets a row here: its package, the modules it may use, the libraries it may use. */
    private static final List<Module> MODULES = List.of(
            new Module("wheel", "io.tickwheel.wheel", Set.of()),
            new Module("wheel-netty", "io.tickwheel.wheel.netty", Set.of("wheel"), "io.netty.util"),
            new Module("store", "io.tickwheel.store", Set.of()),
            new Module("engine", "io.tickwheel.engine", Set.of("wheel", "store"), "org.slf4j"),
            new Module("testkit", "io.tickwheel.testkit", Set.of("store", "engine", "wheel")),
            new Module("store-testkit", "io.tickwheel.store.testkit", Set.of("store"), "org.junit", "org.assertj"),
            new Module("redis-testkit", "io.tickwheel.redis.testkit", Set.of()),
            new Module("store-file", "io.tickwheel.store.file", Set.of("store")),
            new Module(
                    "store-redis", "io.tickwheel.store.redis", Set.of("store"), "io.lettuce", "io.netty", "org.slf4j"),
            new Module("server", "io.tickwheel.server", Set.of("engine", "store", "store-file", "store-redis"), ANY));

    /** Programs that measure and try: they are seen by nobody, never published, and follow rules of their own. */
    private static final Set<String> PROGRAMS = Set.of("benchmarks", "wheel-stress");

    /** Modules that are nothing but tests. */
    private static final Set<String> TESTS = Set.of("engine-tests");

    private static final Map<String, JavaClasses> MAIN = MODULES.stream()
            .collect(Collectors.toMap(Module::folder, module -> load(Stream.of(module.folder()), "classes")));
    private static final JavaClasses ALL_MAIN = load(MODULES.stream().map(Module::folder), "classes");
    private static final JavaClasses ALL_TESTS = load(SourceTree.modules().stream(), "test-classes");

    private static final Set<String> JAVA_BASE =
            ModuleLayer.boot().findModule("java.base").orElseThrow().getPackages();

    @Test
    void everyModuleHasARowAndClasses() {
        assertThat(SourceTree.modules())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(MODULES.stream().map(Module::folder), PROGRAMS.stream(), TESTS.stream())
                                .flatMap(folders -> folders)
                                .toList());
        MAIN.forEach((folder, classes) -> assertThat(classes).as(folder).isNotEmpty());
        assertThat(ALL_TESTS).isNotEmpty();
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void aModuleKnowsOnlyWhatItMay(Module module) {
        check(
                MAIN.get(module.folder()),
                classes()
                        .should()
                        .onlyDependOnClassesThat(describe("it may use", target -> module.mayUse(packageOf(target))))
                        .because("calls follow the arrows of the module picture"));
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void aModuleStaysInItsPackage(Module module) {
        check(
                MAIN.get(module.folder()),
                classes()
                        .should(resideInAPackageThat("belongs to the module", module::owns))
                        .because("a package that two modules share has two owners"));
    }

    @Test
    void wheelAndStoreNeedOnlyTheCoreOfTheJdk() {
        for (Module module : List.of(module("wheel"), module("store"))) {
            check(
                    MAIN.get(module.folder()),
                    classes()
                            .should()
                            .onlyDependOnClassesThat(describe(
                                    "are in java.base, jspecify or the module itself",
                                    target -> module.owns(packageOf(target))
                                            || JAVA_BASE.contains(packageOf(target))
                                            || within(packageOf(target), "org.jspecify")))
                            .because("they are embedded where nothing else may be assumed"));
        }
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void publicTypesLieInTheOnePublicPackage(Module module) {
        check(
                MAIN.get(module.folder()),
                classes()
                        .that()
                        .arePublic()
                        .and()
                        .areTopLevelClasses()
                        .should(resideInAPackageThat(
                                "is " + module.root() + " or its spi",
                                name -> name.equals(module.root()) || name.equals(module.root() + ".spi")))
                        .because("a module shows one package, the rest is its own business"));
    }

    @Test
    void packagesDoNotGoRoundInCircles() {
        check(ALL_MAIN, slices().matching("io.tickwheel.(**)").should().beFreeOfCycles());
    }

    @Test
    void publicFieldsAreFinal() {
        check(ALL_MAIN, fields().that().arePublic().should().beFinal());
    }

    @Test
    void publicClassesAreFinalOrMadeToBeExtended() {
        check(
                ALL_MAIN,
                classes()
                        .that()
                        .arePublic()
                        .and()
                        .areTopLevelClasses()
                        .and()
                        .areNotEnums()
                        .and()
                        .areNotAssignableTo(Throwable.class)
                        .should(haveModifier(FINAL).or(haveModifier(ABSTRACT))));
    }

    @Test
    void namesSayWhatAThingIs() {
        check(
                ALL_MAIN,
                noClasses()
                        .should()
                        .haveNameMatching("(.*[.$])?(Abstract\\w*|Common\\w*"
                                + "|\\w*(Utils?|Helper|Manager|Impl|Processor|Info|Data|Base))")
                        .because("such a name fits everything"));
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<String> marked = ALL_MAIN.stream()
                .filter(type -> type.getSimpleName().equals("package-info"))
                .filter(type -> type.isAnnotatedWith(NullMarked.class))
                .map(JavaClass::getPackageName)
                .collect(Collectors.toSet());
        check(
                ALL_MAIN,
                classes()
                        .should(resideInAPackageThat("is @NullMarked in its package-info", marked::contains))
                        .because("null is checked only where it is marked"));
    }

    @Test
    void noTestIsSwitchedOff() {
        for (String off : List.of("org.junit.jupiter.api.Disabled", "org.junit.Ignore", "net.jqwik.api.Disabled")) {
            check(ALL_TESTS, noClasses().should().beAnnotatedWith(off));
            check(ALL_TESTS, methods().should().notBeAnnotatedWith(off));
        }
    }

    @Test
    void everyTestHasANameThatTheBuildRuns() {
        check(
                ALL_TESTS,
                classes()
                        .that(describe("have tests", ArchitectureTest::hasTests))
                        .and()
                        .areTopLevelClasses()
                        .should()
                        .haveSimpleNameEndingWith("Test")
                        .because("other names are passed over in silence"));
        check(
                ALL_TESTS,
                classes()
                        .that(describe("have tests", ArchitectureTest::hasTests))
                        .and()
                        .areMemberClasses()
                        .should()
                        .beAnnotatedWith("org.junit.jupiter.api.Nested")
                        .because("others are passed over in silence"));
    }

    @Test
    void nothingIsMocked() {
        check(
                ALL_TESTS,
                noClasses()
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("org.mockito..", "org.easymock..", "io.mockk..")
                        .because("a fake that ships is strict, a mock says what its test wants to hear"));
    }

    private static boolean hasTests(JavaClass type) {
        return !type.isInterface()
                && !type.getModifiers().contains(ABSTRACT)
                && type.getAllMethods().stream().anyMatch(ArchitectureTest::isTest);
    }

    private static boolean isTest(JavaMethod method) {
        return method.isMetaAnnotatedWith("org.junit.platform.commons.annotation.Testable");
    }

    private static ArchCondition<JavaClass> resideInAPackageThat(String description, Predicate<String> accepts) {
        return new ArchCondition<>("reside in a package that " + description) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                String name = type.getPackageName();
                events.add(new SimpleConditionEvent(type, accepts.test(name), type.getName() + " is in " + name));
            }
        };
    }

    /** A rule about things that do not exist yet passes; {@link #everyModuleHasARowAndClasses} guards the reading. */
    private static void check(JavaClasses classes, ArchRule rule) {
        rule.allowEmptyShould(true).check(classes);
    }

    private static JavaClasses load(Stream<String> folders, String output) {
        List<Path> paths = folders.map(folder ->
                        SourceTree.root().resolve(folder).resolve("target").resolve(output))
                .toList();
        return new ClassFileImporter().importPaths(paths);
    }

    private static Module module(String folder) {
        return MODULES.stream()
                .filter(module -> module.folder().equals(folder))
                .findFirst()
                .orElseThrow();
    }

    private static String packageOf(JavaClass type) {
        return type.getBaseComponentType().getPackageName();
    }

    private static boolean within(String name, String root) {
        return root.equals(ANY) || name.equals(root) || name.startsWith(root + ".");
    }

    /**
     * @param folder where it lies
     * @param root its package
     * @param modules the folders of the modules it may use
     * @param libraries the packages of others it may use, beside the JDK's and jspecify
     */
    private record Module(String folder, String root, Set<String> modules, List<String> libraries) {
        Module(String folder, String root, Set<String> modules, String... libraries) {
            this(folder, root, modules, List.of(libraries));
        }

        /** The longest root wins: {@code store.file} is a module of its own, not a part of {@code store}. */
        boolean owns(String name) {
            return within(name, root)
                    && MODULES.stream()
                            .filter(other -> other.root().length() > root.length())
                            .noneMatch(other -> within(name, other.root()));
        }

        boolean mayUse(String name) {
            if (within(name, "io.tickwheel")) {
                return owns(name)
                        || modules.stream().anyMatch(other -> module(other).owns(name));
            }
            return Stream.concat(Stream.of("java", "javax", "org.jspecify"), libraries.stream())
                    .anyMatch(library -> within(name, library));
        }
    }
}
