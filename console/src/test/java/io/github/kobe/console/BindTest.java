package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where does a console listen? */
@Timeout(60)
class BindTest {

    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private ConsoleBuilder builder() {
        return Console.builder().add(executor);
    }

    private static InetAddress everywhere() {
        return new InetSocketAddress(0).getAddress();
    }

    /** All addresses 127.x.x.x are this machine, so a server that listens everywhere would answer on another one. */
    private static boolean answersOn(String address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 5_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void byDefaultItListensOnTheLoopbackAddressOnly() {
        try (Console console = builder().start()) {
            assertThat(answersOn("127.0.0.1", console.port())).isTrue();
            assertThat(answersOn("127.0.0.2", console.port())).isFalse();
        }
    }

    @Test
    void otherAddressNeedsAllowRemote() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().address(everywhere()).token(TOKEN).start())
                .withMessageStartingWith("address must be a loopback address unless allowRemote is set, but is ");
    }

    @Test
    void otherAddressNeedsATokenOrAnAuthenticator() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> builder().address(everywhere()).allowRemote(true).start())
                .withMessageEndingWith(" needs a token or an authenticator");
    }

    @Test
    void otherAddressIsBoundIfBothAreGiven() {
        try (Site site =
                Site.of(builder().address(everywhere()).allowRemote(true).token(TOKEN))) {
            assertThat(answersOn("127.0.0.2", site.port())).isTrue();
            assertThat(site.get("/api/view").status()).isEqualTo(200);
        }
        try (Console console = builder()
                .address(everywhere())
                .allowRemote(true)
                .authenticator(exchange -> "eva")
                .start()) {
            assertThat(console.uri().getFragment()).isNull();
        }
    }

    @Test
    void portThatIsInUseIsNamed() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(() -> builder().port(taken.getLocalPort()).start())
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessage("the console cannot listen on 127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    void closeFreesThePortAndMayBeCalledTwice() {
        Console first = builder().start();
        int port = first.port();
        first.close();
        first.close();
        try (Site again = Site.of(builder().port(port))) {
            assertThat(again.get("/").status()).isEqualTo(200);
        }
    }

    /** Its threads are daemons, so a program that forgets the console ends all the same. */
    @Test
    void consoleDoesNotKeepTheJvmAlive() {
        try (Site site = Site.of(builder())) {
            site.view("");
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().startsWith("HTTP-Dispatcher"))
                    .isNotEmpty()
                    .allMatch(Thread::isDaemon);
        }
    }
}
