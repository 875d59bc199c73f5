package io.github.kobe.redis.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Do child JVMs do what they are told, and does the referee see all of them? */
class ChildJvmTest {

    /** A child that begins and ends tasks of a referee. */
    static final class Player {
        public static void main(String[] args) throws Exception {
            Referee referee = Referee.open(Path.of(args[0]), 1);
            int number = Integer.parseInt(args[1]);
            ChildJvm.say("ready");
            ChildJvm.serve(line -> {
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "begin" -> {
                        return "running " + referee.begin(number, 0);
                    }
                    case "end" -> referee.end(number, 0);
                    case "both" -> {
                        for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                            referee.begin(number, 0);
                            referee.end(number, 0);
                        }
                    }
                    default -> throw new IllegalArgumentException(line);
                }
                return "done";
            });
        }
    }

    @TempDir
    Path directory;

    private final List<ChildJvm> children = new ArrayList<>();

    private ChildJvm player(int number) {
        ChildJvm child =
                ChildJvm.start(Player.class, directory.resolve("referee").toString(), Integer.toString(number));
        children.add(child);
        child.await("ready");
        return child;
    }

    private Referee referee() {
        return Referee.open(directory.resolve("referee"), 1);
    }

    @AfterEach
    void killChildren() {
        children.forEach(ChildJvm::close);
    }

    @Test
    void refereeCountsOverProcesses() {
        ChildJvm first = player(0);
        ChildJvm second = player(1);
        assertThat(first.ask("begin", "running")).isEqualTo("running 1");
        assertThat(second.ask("begin", "running")).isEqualTo("running 2");
        first.ask("end", "done");
        second.ask("both 20000", "done");
        assertThat(referee().running(0)).isEqualTo(1);
        assertThat(referee().max(0)).isEqualTo(2);
        assertThat(referee().begun(0)).isEqualTo(20_002);
    }

    @Test
    void noCountIsLostBetweenProcesses() {
        ChildJvm first = player(0);
        ChildJvm second = player(5);
        first.send("both 100000");
        second.send("both 100000");
        first.await("done");
        second.await("done");
        assertThat(referee().running(0)).isZero();
        assertThat(referee().begun(0)).isEqualTo(200_000);
        assertThat(referee().max(0)).isBetween(1, 2);
    }

    @Test
    void whatAKilledProcessRanIsTakenOff() {
        ChildJvm first = player(0);
        ChildJvm second = player(1);
        first.ask("begin", "running");
        first.ask("begin", "running");
        second.ask("begin", "running");
        first.kill();
        assertThat(first.isAlive()).isFalse();
        assertThat(referee().running(0)).isEqualTo(3);
        referee().forget(0);
        assertThat(referee().running(0)).isEqualTo(1);
        assertThat(referee().running(1, 0)).isEqualTo(1);
        assertThat(referee().max(0)).isEqualTo(3);
    }

    @Test
    void frozenChildGoesOnWhenItIsThawed() {
        ChildJvm child = player(0);
        child.freeze();
        child.send("begin");
        assertThat(referee().running(0)).isZero();
        child.thaw();
        child.await("running 1");
    }

    @Test
    void childThatFailsSaysWhy() {
        ChildJvm child = player(0);
        assertThat(child.ask("nonsense", "failed")).contains("IllegalArgumentException: nonsense");
        child.kill();
        assertThatThrownBy(() -> child.await("done"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("has ended")
                .hasMessageContaining("nonsense");
    }

    @Test
    void childEndsWithTheJvmThatHasStartedIt() {
        ChildJvm parent =
                ChildJvm.start(Parent.class, directory.resolve("referee").toString());
        children.add(parent);
        ProcessHandle grandchild = ProcessHandle.of(
                        Long.parseLong(parent.await("child ").substring("child ".length())))
                .orElseThrow();
        assertThat(grandchild.isAlive()).isTrue();
        parent.kill();
        Awaitility.await().until(() -> !grandchild.isAlive());
    }

    /** A child that has a child, which is frozen: it cannot see that its input has ended. */
    static final class Parent {
        public static void main(String[] args) throws Exception {
            ChildJvm child = ChildJvm.start(Player.class, args[0], "0");
            child.await("ready");
            child.freeze();
            ChildJvm.say("child " + child.pid());
            ChildJvm.serve(line -> line);
        }
    }

    @Test
    void serverEndsWithTheJvmThatHasStartedIt() {
        ChildJvm owner = ChildJvm.start(ServerOwner.class);
        children.add(owner);
        ProcessHandle server = ProcessHandle.of(
                        Long.parseLong(owner.await("server ").substring("server ".length())))
                .orElseThrow();
        assertThat(server.isAlive()).isTrue();
        owner.kill();
        Awaitility.await().until(() -> !server.isAlive());
    }

    /** A child that has started a server. */
    static final class ServerOwner {
        public static void main(String[] args) throws Exception {
            RedisServer server = RedisServer.start();
            ChildJvm.say("server " + server.pid());
            ChildJvm.serve(line -> line);
        }
    }
}
