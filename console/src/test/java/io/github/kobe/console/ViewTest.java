package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may a client ask for? */
class ViewTest {

    @Test
    void withoutParametersTheFirstPageOfAllGroupsIsShown() {
        View view = new View(View.Tab.GROUPS, -1, "", View.Filter.ALL, View.Sort.WAIT, 0, 50, null, "");
        assertThat(View.parse(null)).isEqualTo(view);
        assertThat(View.parse("")).isEqualTo(view);
        assertThat(View.parse("unknown=1&&x")).isEqualTo(view);
    }

    @Test
    void everyParameterIsRead() {
        String id = KeyId.of("a").toString();
        View view = View.parse(
                "tab=isolation&executor=2&search=M%C3%BCller+%26&filter=paused&sort=key&page=3&size=10&client=c1&detail=2."
                        + id);
        assertThat(view.tab()).isEqualTo(View.Tab.ISOLATION);
        assertThat(view.executor()).isEqualTo(2);
        assertThat(view.search()).isEqualTo("müller &");
        assertThat(view.filter()).isEqualTo(View.Filter.PAUSED);
        assertThat(view.sort()).isEqualTo(View.Sort.KEY);
        assertThat(view.firstRow()).isEqualTo(30);
        assertThat(view.client()).isEqualTo("c1");
        assertThat(view.detail()).isNotNull();
        assertThat(view.detail().executor()).isEqualTo(2);
        assertThat(view.detail().id().matches("a")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tab=x|tab must be one of [groups, shared, pools, isolation, fleet, changes]",
                "sort=Wait|sort must be one of [wait, queued, running, key]",
                "filter=|filter must be one of [all, waiting, paused, changed]",
                "size=0|size must be from 1 to 200, but is 0",
                "size=201|size must be from 1 to 200, but is 201",
                "size=x|size must be a whole number",
                "page=-1|page must be from 0 to 39, but is -1",
                "page=40|page must be from 0 to 39, but is 40",
                "executor=-2|executor must be from -1 to 2147483647, but is -2",
                "detail=1|detail must be a position, a dot, and the id of a group",
                "detail=x.0123456789012345678901234567890123456789|detail must be a position, a dot, and the id of a group",
                "search=%zz|URLDecoder",
            })
    void wrongParameterIsRefused(String query, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> View.parse(query)).withMessageContaining(message);
    }

    @Test
    void longParameterIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> View.parse("search=" + "x".repeat(201)))
                .withMessage("search must have at most 200 characters, but has 201");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> View.parse("client=" + "x".repeat(65)))
                .withMessage("client must have at most 64 characters, but has 65");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> View.parse("y".repeat(2001)))
                .withMessage("the query must have at most 2000 characters, but has 2001");
    }
}
