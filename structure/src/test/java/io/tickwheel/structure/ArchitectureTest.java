package io.tickwheel.structure;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.lang.conditions.ArchConditions.haveModifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The shape of the tree: who may know whom, what is public, what things are called. The rooms inside of
 * the modules are {@link RoomsTest}'s.
 */
final class ArchitectureTest {

    private static final Pattern TEST_METHOD =
            Pattern.compile("@(Test|ParameterizedTest|RepeatedTest|TestFactory|Property|Example)\\b");
    private static final Set<String> JAVA_BASE =
            ModuleLayer.boot().findModule("java.base").orElseThrow().getPackages();

    static List<Module> modules() {
        return Module.checked();
    }

    @Test
    void everyModuleHasARowAndClasses() {
        assertThat(SourceTree.modules())
                .containsExactlyInAnyOrderElementsOf(
                        Module.ALL.stream().map(Module::folder).toList());
        for (Module module : Module.checked()) {
            assertThat(CompiledTree.main(module)).as(module.folder()).isNotEmpty();
        }
        assertThat(CompiledTree.tests()).isNotEmpty();
    }

    @Test
    void whatIsNotForUsersIsNotPublished() {
        for (Module module : Module.ALL) {
            String pom =
                    SourceTree.read(SourceTree.root().resolve(module.folder()).resolve("pom.xml"));
            assertThat(pom.contains("<maven.deploy.skip>true</maven.deploy.skip>"))
                    .as("%s is never published", module.folder())
                    .isEqualTo(module.kind() != Module.Kind.PUBLISHED);
        }
    }

    @ParameterizedTest
    @MethodSource("modules")
    void aModuleKnowsOnlyWhatItMay(Module module) {
        check(
                CompiledTree.main(module),
                classes()
                        .should()
                        .onlyDependOnClassesThat(describe("it may use", target -> module.mayUse(packageOf(target))))
                        .because("calls follow the arrows of the module picture"));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void aModuleStaysInItsPackage(Module module) {
        check(
                CompiledTree.main(module),
                classes()
                        .should(resideInAPackageThat("belongs to the module", module::owns))
                        .because("a package that two modules share has two owners"));
    }

    @Test
    void whatIsEmbeddedAnywhereNeedsOnlyTheCoreOfTheJdk() {
        for (Module module : List.of(Module.of("wheel"), Module.of("store"), Module.of("recurrence"))) {
            check(
                    CompiledTree.main(module),
                    classes()
                            .should()
                            .onlyDependOnClassesThat(describe(
                                    "are in java.base, jspecify or the module itself",
                                    target -> module.owns(packageOf(target))
                                            || JAVA_BASE.contains(packageOf(target))
                                            || Module.within(packageOf(target), "org.jspecify")))
                            .because("they are embedded where nothing else may be assumed"));
        }
    }

    @Test
    void publicFieldsAreFinal() {
        check(CompiledTree.main(), fields().that().arePublic().should().beFinal());
    }

    @Test
    void publicClassesAreFinalOrMadeToBeExtended() {
        check(
                CompiledTree.main(),
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
                CompiledTree.main(),
                noClasses()
                        .should()
                        .haveNameMatching("(.*[.$])?(Abstract\\w*|Common\\w*"
                                + "|\\w*(Utils?|Helper|Manager|Impl|Processor|Info|Data|Base))")
                        .because("such a name fits everything"));
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<String> marked = CompiledTree.main().stream()
                .filter(type -> type.getSimpleName().equals("package-info"))
                .filter(type -> type.isAnnotatedWith(NullMarked.class))
                .map(JavaClass::getPackageName)
                .collect(Collectors.toSet());
        check(
                CompiledTree.main(),
                classes()
                        .should(resideInAPackageThat("is @NullMarked in its package-info", marked::contains))
                        .because("null is checked only where it is marked"));
    }

    @Test
    void noTestIsSwitchedOff() {
        for (String off : List.of("org.junit.jupiter.api.Disabled", "org.junit.Ignore", "net.jqwik.api.Disabled")) {
            check(CompiledTree.tests(), noClasses().should().beAnnotatedWith(off));
            check(CompiledTree.tests(), methods().should().notBeAnnotatedWith(off));
        }
        for (Path file : testsOfPrograms()) {
            assertThat(SourceTree.read(file)).as(file.toString()).doesNotContain("@Disabled", "@Ignore");
        }
    }

    private static List<Path> testsOfPrograms() {
        return Module.ALL.stream()
                .filter(module -> module.kind() == Module.Kind.PROGRAM)
                .map(module -> SourceTree.root().resolve(module.folder()).resolve("src/test/java"))
                .flatMap(folder -> SourceTree.sources(folder).stream())
                .toList();
    }

    @Test
    void everyTestHasANameThatTheBuildRuns() {
        check(
                CompiledTree.tests(),
                classes()
                        .that(describe("have tests", ArchitectureTest::hasTests))
                        .and()
                        .areTopLevelClasses()
                        .should()
                        .haveSimpleNameEndingWith("Test")
                        .because("other names are passed over in silence"));
        check(
                CompiledTree.tests(),
                classes()
                        .that(describe("have tests", ArchitectureTest::hasTests))
                        .and()
                        .areMemberClasses()
                        .should()
                        .beAnnotatedWith("org.junit.jupiter.api.Nested")
                        .because("others are passed over in silence"));
        for (Path file : testsOfPrograms()) {
            if (TEST_METHOD.matcher(SourceTree.read(file)).find()) {
                assertThat(file.getFileName().toString()).endsWith("Test.java");
            }
        }
    }

    @Test
    void nothingIsMocked() {
        check(
                CompiledTree.tests(),
                noClasses()
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("org.mockito..", "org.easymock..", "io.mockk..")
                        .because("a fake that ships is strict, a mock says what its test wants to hear"));
        for (Path file : testsOfPrograms()) {
            assertThat(SourceTree.read(file)).as("%s", file).doesNotContain("org.mockito", "org.easymock", "io.mockk");
        }
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

    private static String packageOf(JavaClass type) {
        return type.getBaseComponentType().getPackageName();
    }
}
