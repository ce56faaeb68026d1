/** Recipes for tests that start their own sandbox with Testcontainers. */
import { quote, type Recipe, type RecipeValues } from './recipe.ts';

function inNode({ key, project }: RecipeValues): string {
  return `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GenericContainer, Wait } from 'testcontainers';

let sandbox;
let url;

before(async () => {
  sandbox = await new GenericContainer('field-sandbox')
    .withEnvironment({ SANDBOX_API_KEY: ${quote(key)} })
    .withExposedPorts(4600)
    .withWaitStrategy(Wait.forHttp('/_sandbox/ready', 4600))
    .start();
  url = \`http://\${sandbox.getHost()}:\${sandbox.getMappedPort(4600)}\`;
});
after(() => sandbox?.stop());

test('an import is accepted', async () => {
  const project = encodeURIComponent(${quote(project)});
  const response = await fetch(\`\${url}/async/projects/\${project}/jobs\`, {
    method: 'POST',
    headers: { apikey: ${quote(key)}, 'content-type': 'application/json' },
    body: JSON.stringify({ jobs: [{ id: 'ORD-1' }] }),
  });
  assert.equal(response.status, 202);
});
`;
}

function inJava({ key, project }: RecipeValues): string {
  return `import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

@Testcontainers
class SandboxTest {
  @Container
  static final GenericContainer<?> sandbox = new GenericContainer<>("field-sandbox")
      .withEnv("SANDBOX_API_KEY", ${quote(key)})
      .withExposedPorts(4600)
      .waitingFor(Wait.forHttp("/_sandbox/ready").forPort(4600));

  @Test
  void anImportIsAccepted() throws Exception {
    String url = "http://" + sandbox.getHost() + ":" + sandbox.getMappedPort(4600);
    String project = ${quote(encodeURIComponent(project))};
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/async/projects/" + project + "/jobs"))
        .header("apikey", ${quote(key)})
        .header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString("{\\"jobs\\":[{\\"id\\":\\"ORD-1\\"}]}"))
        .build();
    assertEquals(202, HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode());
  }
}
`;
}

function inPython({ key, project }: RecipeValues): string {
  return `import json
import time
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from testcontainers.core.container import DockerContainer


@pytest.fixture(scope="session")
def url():
    container = DockerContainer("field-sandbox").with_env("SANDBOX_API_KEY", ${quote(key)}).with_exposed_ports(4600)
    with container as sandbox:
        url = f"http://{sandbox.get_container_host_ip()}:{sandbox.get_exposed_port(4600)}"
        wait_until_ready(url)
        yield url


def wait_until_ready(url):
    deadline = time.monotonic() + 30
    while True:
        try:
            with urlopen(f"{url}/_sandbox/ready", timeout=2):
                return
        except (URLError, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def test_an_import_is_accepted(url):
    project = quote(${quote(project)}, safe="")
    request = Request(
        f"{url}/async/projects/{project}/jobs",
        method="POST",
        headers={"apikey": ${quote(key)}, "content-type": "application/json"},
        data=json.dumps({"jobs": [{"id": "ORD-1"}]}).encode(),
    )
    with urlopen(request, timeout=10) as response:
        assert response.status == 202
`;
}

const about = 'A test starts its own sandbox. Build the image first: docker build -t field-sandbox .';

export const nodeContainer: Recipe = {
  name: 'testcontainers-node',
  title: 'Testcontainers: Node',
  file: 'sandbox.test.mjs',
  about: `${about} Requires the package testcontainers. Run it with node --test.`,
  text: inNode,
};

export const javaContainer: Recipe = {
  name: 'testcontainers-java',
  title: 'Testcontainers: Java',
  file: 'SandboxTest.java',
  about: `${about} Requires JUnit 5 and org.testcontainers:junit-jupiter.`,
  text: inJava,
};

export const pythonContainer: Recipe = {
  name: 'testcontainers-python',
  title: 'Testcontainers: Python',
  file: 'test_sandbox.py',
  about: `${about} Requires the packages testcontainers and pytest.`,
  text: inPython,
};
