package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.ManifestFiles;
import io.tickwheel.store.file.disk.OwnerMark;
import io.tickwheel.store.file.loading.Loading;
import io.tickwheel.store.file.log.OpenStore;
import io.tickwheel.store.file.log.SpareSegments;
import io.tickwheel.store.file.recovery.Recovery;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Opens a directory as a calendar: claims it, has it read back, and lets go of it when that fails. */
public final class CalendarOpening {

    private final FileStoreOptions options;
    private final StoreContext context;
    private final CalendarListener listener;
    private final DataDirectory directory;
    private final OwnerMark owner;

    private CalendarOpening(
            FileStoreOptions options,
            StoreContext context,
            CalendarListener listener,
            DataDirectory directory,
            OwnerMark owner) {
        this.options = options;
        this.context = context;
        this.listener = listener;
        this.directory = directory;
        this.owner = owner;
    }

    /** Opens the directory; a new store is made where there is none. */
    public static Calendar open(FileStoreOptions options, StoreContext context, CalendarListener listener)
            throws IOException {
        DataDirectory directory = DataDirectory.open(options.directory());
        try {
            // Refused here, nothing is changed. What counts is read again behind the claim.
            Manifest seen = ManifestFiles.newest(directory);
            OwnerMark owner = OwnerMark.claim(directory, seen == null ? 0 : seen.epoch(), context.monoNanos());
            return new CalendarOpening(options, context, listener, directory, owner).open();
        } catch (IOException | RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    private FileCalendar open() throws IOException {
        boolean mayBeWritten = !owner.isFirst();
        while (true) {
            LoadsLater target = new LoadsLater(listener);
            Recovery recovery = null;
            try {
                SpareSegments spares = new SpareSegments(
                        directory, owner.epoch(), context.background(), context.waker(), options.segmentBytes());
                recovery = Recovery.of(directory, owner, options, context.random(), target);
                return calendar(recovery.run(spares), spares, target);
            } catch (IOException | RuntimeException | Error e) {
                boolean hasWritten = recovery != null && recovery.hasWritten();
                if (e instanceof StoreCorruptedException && mayBeWritten && !hasWritten) {
                    // An owner who is about to notice that it is none any more may still write; it does so once.
                    mayBeWritten = false;
                    continue;
                }
                try (owner) {
                    owner.throwIfReasonOf(e);
                    if (!hasWritten) {
                        owner.withdraw();
                    }
                }
                throw e;
            }
        }
    }

    private FileCalendar calendar(Recovery.Opened opened, SpareSegments spares, LoadsLater target) throws IOException {
        try {
            OpenStore store = new OpenStore(
                    context,
                    options,
                    directory,
                    owner,
                    opened.disposal(),
                    opened.manifest().storeId(),
                    spares);
            FileCalendar calendar = new FileCalendar(store, listener, opened);
            target.calendar = calendar.loads();
            calendar.beginToIndex();
            return calendar;
        } catch (IOException | RuntimeException | Error e) {
            try (opened) {
                throw e;
            }
        }
    }

    /** Stands for the calendar while that is being opened; nothing is loaded before. */
    private static final class LoadsLater implements Loading.Target {

        private final CalendarListener listener;
        private Loading.@Nullable Target calendar;

        LoadsLater(CalendarListener listener) {
            this.listener = listener;
        }

        @Override
        public boolean mayStart(Lane lane) {
            return listener.mayStart(lane);
        }

        @Override
        public LoadRoom room() {
            return listener.room();
        }

        @Override
        public void load(
                TimerTable table,
                int ordinal,
                long seq,
                long attemptAtMs,
                StoreLane lane,
                LoadRoom.Age age,
                int length) {
            Objects.requireNonNull(calendar).load(table, ordinal, seq, attemptAtMs, lane, age, length);
        }
    }
}
