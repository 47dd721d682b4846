package io.tickwheel.structure;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/**
 * Which top-level classes of a module know each other, by what stands in their bytecode; a nested class counts as the one that it is
 * nested in.
 */
final class Knowledge {

    private static final Pattern ARROW = Pattern.compile("^ {3}(\\S+) +-> (\\S+)");

    private static final Map<Module, Graph> OF_MODULES = read();

    private Knowledge() {}

    static Graph of(Module module) {
        return OF_MODULES.get(module);
    }

    private static Map<Module, Graph> read() {
        StringWriter said = new StringWriter();
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        int code = jdeps.run(
                new PrintWriter(said, true),
                new PrintWriter(said, true),
                "--ignore-missing-deps",
                "-verbose:class",
                "-filter:none",
                CompiledTree.mainFolder().toString());
        if (code != 0) {
            throw new IllegalStateException("jdeps failed: " + said);
        }
        Map<Module, Graph> graphs = new HashMap<>();
        Module.checked().forEach(module -> graphs.put(module, new Graph()));
        said.toString().lines().forEach(line -> {
            Matcher arrow = ARROW.matcher(line);
            if (arrow.find() && arrow.group(1).startsWith("io.tickwheel.")) {
                Module module = CompiledTree.owner(arrow.group(1));
                graphs.get(module).node(top(arrow.group(1)));
                if (arrow.group(2).startsWith("io.tickwheel.")
                        && CompiledTree.owner(arrow.group(2)).equals(module)) {
                    graphs.get(module).arrow(top(arrow.group(1)), top(arrow.group(2)));
                }
            }
        });
        return graphs;
    }

    private static String top(String name) {
        return name.split("\\$", 2)[0];
    }
}
