package io.github.kobe.console;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Is a token hard to guess? */
class TokenTest {

    private static final JavaClasses CLASSES = new ClassFileImporter().importPackages("io.github.kobe.console");

    @Test
    void randomTokenHas256BitsAndIsNewEachTime() {
        Set<String> tokens = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            String token = Token.random().secret();
            assertThat(Base64.getUrlDecoder().decode(token)).hasSize(32);
            tokens.add(token);
        }
        assertThat(tokens).hasSize(100);
    }

    /** Another generator could be computed from a few of its numbers. */
    @Test
    void randomTokenComesFromASecureGenerator() {
        assertThat(CLASSES.get(Token.class).getMethodCallsFromSelf())
                .extracting(JavaMethodCall::getTargetOwner)
                .anyMatch(owner -> owner.isEquivalentTo(SecureRandom.class));
        noClasses()
                .that()
                .areAssignableTo(Token.class)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Random.class, ThreadLocalRandom.class, SplittableRandom.class)
                .orShould()
                .callMethod(Math.class, "random")
                .check(CLASSES);
    }

    @Test
    void onlyTheSameTokenMatches() {
        Token token = Token.random();
        String secret = token.secret();
        assertThat(token.matches(secret)).isTrue();
        assertThat(token.matches(secret.substring(1))).isFalse();
        assertThat(token.matches(secret + "a")).isFalse();
        assertThat(token.matches("")).isFalse();
        assertThat(token.matches((secret.charAt(0) == 'a' ? "b" : "a") + secret.substring(1)))
                .isFalse();
    }

    /** A comparison that stops at the first difference tells how much of a guess is right. */
    @Test
    void comparisonTakesTheSameTimeForEachWrongToken() {
        JavaClass token = CLASSES.get(Token.class);
        assertThat(token.getMethod("matches", String.class).getMethodCallsFromSelf())
                .extracting(JavaMethodCall::getTarget)
                .anySatisfy(target -> {
                    assertThat(target.getOwner().isEquivalentTo(MessageDigest.class))
                            .isTrue();
                    assertThat(target.getName()).isEqualTo("isEqual");
                });
        assertThat(token.getMethodCallsFromSelf())
                .extracting(call -> call.getTarget().getName())
                .doesNotContain("equals", "contentEquals", "compareTo", "startsWith", "hashCode");
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(Token.class.getName())
                .and()
                .doNotHaveFullyQualifiedName(ConsoleBuilder.class.getName())
                .and()
                .haveSimpleNameNotEndingWith("Test")
                .should()
                .callMethod(Token.class, "secret")
                .because("another comparison could be slower for a better guess")
                .check(CLASSES);
    }

    @Test
    void textHasNoSecret() {
        Token token = Token.random();
        assertThat(token.toString()).doesNotContain(token.secret());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "short",
                "0123456789012345678901234567890",
                "01234567890123456789012345678901 ",
                "0123456789012345678901234567890#"
            })
    void weakOrUnprintableTokenIsRefusedAndNotRepeated(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Token.of(text))
                .withMessage("token must have 32 to 512 characters, each a letter, a digit or one of . _ ~ -, but has "
                        + text.length() + " characters");
    }
}
