package io.github.kobe.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

/** Is the number of groups with overrides bounded? */
class LiveOverridesTest {

    private final LiveOverrides overrides = new LiveOverrides(2);

    private void set(String key) {
        overrides.change(key, o -> o.withConcurrency(5));
    }

    @Test
    void oneMoreGroupIsRefusedAndNothingChanges() {
        set("a");
        set("b");
        assertThatIllegalStateException()
                .isThrownBy(() -> set("c"))
                .withMessage("no setting for group 'c': 2 groups have settings, which is the maximum;"
                        + " resetGroup removes those of a group");
        assertThat(overrides.of("c").concurrency()).isNull();
        overrides.change("a", o -> o.withWeight(3));
        assertThat(overrides.of("a").weight()).isEqualTo(3);
    }

    @Test
    void removedOverridesMakeRoom() {
        set("a");
        set("b");
        overrides.remove("a");
        overrides.remove("a");
        overrides.remove("unknown");
        set("c");
        assertThatIllegalStateException().isThrownBy(() -> set("d"));
    }

    @Test
    void overrideThatIsTheSameAsNoneTakesNoRoom() {
        overrides.change("a", o -> o.withPaused(false));
        overrides.change("b", o -> o.withPaused(true));
        overrides.change("b", o -> o.withPaused(false));
        set("c");
        set("d");
        assertThatIllegalStateException().isThrownBy(() -> set("e"));
    }
}
