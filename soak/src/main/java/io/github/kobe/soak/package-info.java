/** All four faces of the library under everything at once, for as long as one likes, with every promise checked on the way. */
@NullMarked
package io.github.kobe.soak;

import org.jspecify.annotations.NullMarked;
