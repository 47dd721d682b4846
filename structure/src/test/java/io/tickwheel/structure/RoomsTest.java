package io.tickwheel.structure;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rooms of a module: what lies in which package, who may enter, and which way the arrows go. */
final class RoomsTest {

    private static final int LARGEST_CIRCLE = 3;
    private static final int LONGEST_FILE = 450;
    private static final Pattern EXPORT = Pattern.compile("(?m)^ *exports +([\\w.]+);");

    static List<Module> modules() {
        return Module.checked();
    }

    @Test
    void onlyTheRootPackageOfAModuleIsForOthers() {
        Set<String> intrusions = new TreeSet<>();
        for (JavaClasses classes : List.of(CompiledTree.main(), CompiledTree.tests())) {
            for (JavaClass type : classes) {
                Module module = CompiledTree.owner(type.getName());
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (target.getPackageName().startsWith("io.tickwheel.")) {
                        Module other = CompiledTree.owner(target.getName());
                        if (!other.equals(module) && !other.shows(target.getPackageName())) {
                            intrusions.add(type.getName() + " knows " + target.getName() + " of " + other.folder());
                        }
                    }
                }
            }
        }
        assertThat(intrusions).as("a sub-package is its module's own business").isEmpty();
    }

    @Test
    void everyPublishedModuleIsOneOfTheJavaPlatformAndExportsItsRootPackageOnly() {
        for (Module module : Module.ALL) {
            if (module.kind() == Module.Kind.PUBLISHED) {
                Path root = SourceTree.root().resolve(module.folder());
                String descriptor = SourceTree.read(root.resolve("src/main/java/module-info.java"));
                assertThat(descriptor).containsPattern("(?m)^module " + Pattern.quote(module.root()) + " \\{");
                assertThat(EXPORT.matcher(descriptor).results().map(found -> found.group(1)))
                        .as("what %s exports to all", module.folder())
                        .isNotEmpty()
                        .allMatch(module::shows);
            }
        }
    }

    /** Else the rules below would look at nothing. */
    @ParameterizedTest
    @MethodSource("modules")
    void everyClassIsLookedAt(Module module) {
        List<String> all = CompiledTree.main(module).stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().endsWith("-info"))
                .map(JavaClass::getName)
                .toList();
        assertThat(all).isNotEmpty();
        assertThat(Knowledge.of(module).nodes()).containsAll(all);
    }

    @ParameterizedTest
    @MethodSource("modules")
    void arrowsBetweenPackagesRunOneWay(Module module) {
        Graph classes = Knowledge.of(module);
        Set<String> values = classes.nodes().stream()
                .filter(name -> packageOf(name).equals(module.root()))
                .filter(name -> classes.reach(name).stream()
                        .allMatch(other -> packageOf(other).equals(module.root()) || isBeneath(other, classes, module)))
                .collect(Collectors.toSet());
        Graph rooms = new Graph();
        for (String from : classes.nodes()) {
            for (String to : classes.from(from)) {
                rooms.arrow(room(from, values), room(to, values));
            }
        }
        assertThat(rooms.circles()).as("""
                        packages that know each other in a circle. Classes of the root package that need no sub-package, but for one that \
                        knows nothing of it, are the ground floor, the others of it stand on top""").isEmpty();
    }

    /** Asks whether a class of a sub-package knows nothing of the root package, so that this may stand on it. */
    private static boolean isBeneath(String name, Graph classes, Module module) {
        return !packageOf(name).equals(module.root())
                && classes.reach(name).stream()
                        .noneMatch(other -> packageOf(other).equals(module.root()));
    }

    @Test
    void noMoreThanThreeClassesKnowEachOtherInACircle() {
        List<String> circles = new ArrayList<>();
        for (Module module : Module.checked()) {
            for (List<String> circle : Knowledge.of(module).circles()) {
                if (circle.size() > LARGEST_CIRCLE) {
                    circles.add(module.folder() + " "
                            + circle.stream()
                                    .map(RoomsTest::simpleName)
                                    .sorted()
                                    .collect(Collectors.joining(" ")));
                }
            }
        }
        new Exceptions("circles.txt").check(circles);
    }

    @Test
    void noFileIsLongerThanAReaderBears() {
        List<String> files = new ArrayList<>();
        for (Module module : Module.ALL) {
            Path root = SourceTree.root().resolve(module.folder());
            for (Path file : SourceTree.sources(root.resolve("src/main/java"))) {
                long lines = SourceTree.read(file).lines().count();
                if (lines > LONGEST_FILE) {
                    files.add(module.folder() + " "
                            + file.getFileName().toString().replace(".java", ""));
                }
            }
        }
        new Exceptions("long-files.txt").check(files);
    }

    @Test
    void everySubPackageSaysWhatLivesThere() {
        List<String> silent = new ArrayList<>();
        for (JavaClass type : CompiledTree.main()) {
            Module module = CompiledTree.owner(type.getName());
            String name = type.getPackageName();
            if (!name.equals(module.root())) {
                Path file = SourceTree.root()
                        .resolve(module.folder())
                        .resolve("src/main/java")
                        .resolve(name.replace('.', '/'))
                        .resolve("package-info.java");
                if (!Files.exists(file) || !SourceTree.read(file).contains("/**")) {
                    silent.add(name);
                }
            }
        }
        assertThat(new TreeSet<>(silent)).as("packages without a doc").isEmpty();
    }

    @Test
    void nothingOfALibraryIsUsedThatTheLibraryKeepsToItself() {
        Set<String> uses = new TreeSet<>();
        for (JavaClass type : CompiledTree.main()) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String target =
                        dependency.getTargetClass().getBaseComponentType().getPackageName();
                if (!target.startsWith("io.tickwheel.") && Pattern.matches("(.*\\.)?(impl|internal)(\\..*)?", target)) {
                    uses.add(simpleName(type.getName().split("\\$", 2)[0]) + " -> " + target);
                }
            }
        }
        new Exceptions("internals.txt").check(List.copyOf(uses));
    }

    private static String room(String name, Set<String> values) {
        return values.contains(name) ? packageOf(name) + " (values)" : packageOf(name);
    }

    private static String packageOf(String name) {
        return name.substring(0, name.lastIndexOf('.'));
    }

    private static String simpleName(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
