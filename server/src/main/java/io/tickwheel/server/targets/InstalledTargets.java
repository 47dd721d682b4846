package io.tickwheel.server.targets;

import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.server.wire.TargetKinds;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The one place that knows which kinds of targets and sources there are: those of the server, and those that lie beside it on the class path. */
public final class InstalledTargets {

    private InstalledTargets() {}

    /**
     * Finds all kinds.
     *
     * @throws java.util.ServiceConfigurationError when a file of the class path names a kind that cannot be made
     */
    public static TargetKinds kinds() {
        return kinds(InstalledTargets.class.getClassLoader());
    }

    /** Finds the kinds of the server, and those that a class loader has as services. */
    static TargetKinds kinds(ClassLoader loader) {
        List<TargetKind> kinds = new ArrayList<>(List.of(new HttpTargetKind(), new LogTargetKind()));
        ServiceLoader.load(TargetKind.class, loader).forEach(kinds::add);
        List<SourceKind> sources = new ArrayList<>();
        ServiceLoader.load(SourceKind.class, loader).forEach(sources::add);
        return TargetKinds.of(kinds, sources);
    }
}
