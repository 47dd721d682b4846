package io.tickwheel.planted;

/**
 * A script with one small change.
 *
 * @param script its name, without the ending
 * @param line where it differs, from 1
 * @param lineText what stands in that line, without the blanks around it
 * @param kind what kind of change it is
 * @param before what stood there
 * @param after what stands there now; empty when it was dropped
 * @param nth which of the same changes in that line it is, from 1
 * @param text the script with the change
 */
record LuaMutant(
        String script, int line, String lineText, String kind, String before, String after, int nth, String text) {

    /** Says what it changes: unlike all others of that line. */
    String change() {
        String number = nth > 1 ? " #" + nth : "";
        return kind + " " + before + " -> " + (after.isEmpty() ? "nothing" : after) + number;
    }

    @Override
    public String toString() {
        return script + ":" + line + " " + change();
    }
}
