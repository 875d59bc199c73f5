package io.github.kobe.examples.fleet;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis on a free port of loopback. A shell watches over it: if this JVM ends, in whatever way, the input of the shell ends, and it kills the server.
 */
final class Server implements AutoCloseable {

    private static final String GUARD = "trap '' INT HUP TERM; \"$@\" & read -r line; kill -9 $!";

    private final int port;
    private final Path binary;
    private final Process shell;

    Server(Path directory) throws IOException, InterruptedException {
        port = freePort();
        binary = ExecutableProvider.newJarResourceProvider(directory.toFile())
                .get()
                .toPath();
        shell = new ProcessBuilder(
                        "sh",
                        "-c",
                        GUARD,
                        "sh",
                        binary.toString(),
                        "--bind",
                        "127.0.0.1",
                        "--port",
                        Integer.toString(port),
                        "--save",
                        "",
                        "--dir",
                        directory.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        while (!answers()) {
            if (!shell.isAlive()) {
                throw new IOException("the server does not start");
            }
            Thread.sleep(20);
        }
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        shell.onExit().join();
        Files.deleteIfExists(binary);
    }
}
