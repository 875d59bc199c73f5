package io.github.kobe.redis.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate for 127.0.0.1 that has signed itself, with its key. Only who was told trusts it. */
public final class Certificate {

    private static final String PASSWORD = "of-the-tests";
    private static final String ALIAS = "redis";

    private final Key key;
    private final java.security.cert.Certificate certificate;

    private Certificate(KeyStore keys) throws GeneralSecurityException {
        key = keys.getKey(ALIAS, PASSWORD.toCharArray());
        certificate = keys.getCertificate(ALIAS);
    }

    /** Makes one by the {@code keytool} of the JDK. */
    public static Certificate create() {
        try {
            Path file = Files.createTempDirectory("certificate").resolve("keys.p12");
            try {
                return generate(file);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(file.getParent());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Certificate generate(Path file) throws IOException, GeneralSecurityException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=ip:127.0.0.1,dns:localhost",
                        "-validity",
                        "2",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes());
        try {
            if (!keytool.waitFor(30, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IllegalStateException("keytool failed: " + output);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while keytool ran", e);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return new Certificate(keys);
    }

    /** Writes a file that a client can be configured with, so that it trusts this certificate. */
    public Path writeTo(Path directory) {
        return write(directory.resolve("certificate.pem"), "CERTIFICATE", encoded());
    }

    List<String> serverOptions(Path directory) {
        return List.of(
                "tls-cert-file " + writeTo(directory),
                "tls-key-file " + write(directory.resolve("key.pem"), "PRIVATE KEY", key.getEncoded()),
                "tls-auth-clients no");
    }

    /** Returns a context of clients that trust this certificate, and no other. */
    SSLContext trust() {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(ALIAS, certificate);
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] encoded() {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path write(Path file, String kind, byte[] bytes) {
        String text = "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END " + kind
                + "-----\n";
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
