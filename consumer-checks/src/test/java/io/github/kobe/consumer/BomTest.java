package io.github.kobe.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Does the BOM list what is published, and nothing else? The project in {@code src/it/bom} shows that it can be imported. */
class BomTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Element BOM = pom(ROOT.resolve("bom/pom.xml"));

    @Test
    void hasTheVersionOfTheProject() {
        Element parent = pom(ROOT.resolve("pom.xml"));
        assertThat(text(BOM, "version")).isEqualTo(text(parent, "version"));
        assertThat(managed())
                .isNotEmpty()
                .allSatisfy(entry -> assertThat(text(entry, "version")).isEqualTo("${project.version}"));
    }

    @Test
    void managesNoLibraryOfOthers() {
        assertThat(children(BOM, "parent")).as("a parent manages more").isEmpty();
        assertThat(managed()).extracting(entry -> text(entry, "groupId")).containsOnly("io.github.kobe");
        assertThat(managed()).extracting(entry -> text(entry, "scope")).containsOnly("");
    }

    @Test
    void listsEveryPublishedModule() throws IOException {
        assertThat(managed())
                .extracting(entry -> text(entry, "artifactId"))
                .containsExactlyInAnyOrderElementsOf(publishedModules());
    }

    /** Modules with a jar that is deployed. A module inherits that from the poms around it. */
    private static Set<String> publishedModules() throws IOException {
        try (var files = Files.walk(ROOT, 4)) {
            return files.filter(file -> file.endsWith("pom.xml"))
                    .filter(file -> !file.toString().contains("/src/")
                            && !file.toString().contains("/target/"))
                    .filter(file -> !text(pom(file), "packaging").equals("pom"))
                    .filter(BomTest::isDeployed)
                    .map(file -> text(pom(file), "artifactId"))
                    .collect(Collectors.toSet());
        }
    }

    private static boolean isDeployed(Path file) {
        for (Path dir = file.getParent(); dir.startsWith(ROOT); dir = dir.getParent()) {
            List<Element> properties = children(pom(dir.resolve("pom.xml")), "properties");
            if (properties.stream().anyMatch(p -> text(p, "maven.deploy.skip").equals("true"))) {
                return false;
            }
        }
        return true;
    }

    private static List<Element> managed() {
        Element management = children(BOM, "dependencyManagement").getFirst();
        return children(children(management, "dependencies").getFirst(), "dependency");
    }

    private static Element pom(Path file) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement();
        } catch (Exception e) {
            throw new AssertionError("cannot read " + file, e);
        }
    }

    private static List<Element> children(Element of, String name) {
        NodeList nodes = of.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(node -> node.getNodeName().equals(name))
                .map(Element.class::cast)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static String text(Element of, String name) {
        return children(of, name).stream()
                .map(Element::getTextContent)
                .findFirst()
                .orElse("");
    }
}
