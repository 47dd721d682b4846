/** The store in a directory. */
module io.tickwheel.store.file {
    requires transitive io.tickwheel.store;
    requires static transitive org.jspecify;

    exports io.tickwheel.store.file;
}
