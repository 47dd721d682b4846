package io.tickwheel.docs;

import java.util.List;

/**
 * A block of code of a page.
 *
 * @param page where it is, from the root of the tree
 * @param line of its first fence
 * @param info what follows the fence: the language, then how it is to be read
 * @param text what is between the fences, without the indentation of the first
 */
record Block(String page, int line, List<String> info, String text) {

    /** Returns the language, or an empty string. */
    String language() {
        return info.isEmpty() ? "" : info.get(0);
    }

    /** Returns how the block is to be read, or an empty string. */
    String form() {
        return info.size() < 2 ? "" : info.get(1);
    }

    boolean is(String language, String form) {
        return language().equals(language) && form().equals(form);
    }

    String where() {
        return page + ":" + line;
    }
}
