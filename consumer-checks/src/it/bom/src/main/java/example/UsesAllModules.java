package example;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;

/** Uses each module, so that each of them, and what it depends on, must be on the class path. */
final class UsesAllModules {

    private UsesAllModules() {}

    static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }
}
