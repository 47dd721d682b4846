package io.tickwheel.store.file.log;

import io.tickwheel.store.StoreContext;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Disposal;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.disk.OwnerMark;

/** What the parts of one open store share. */
public record OpenStore(
        StoreContext context,
        FileStoreOptions options,
        DataDirectory directory,
        OwnerMark owner,
        Disposal disposal,
        long storeId,
        SpareSegments spares) {}
