/** Recipes to copy: how each tool connects to the sandbox, with URL, key and project filled in. */
import { quote, type Recipe, type RecipeValues } from './recipe.ts';
import { composeRecipe, githubRecipe, gitlabRecipe } from './recipes-ci.ts';
import { javaContainer, nodeContainer, pythonContainer } from './recipes-containers.ts';

/** Quotes a text for the shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const body = '{"jobs":[{"id":"ORD-1"},{"id":"FAIL-GEOCODE-1"}]}';
const inPath = encodeURIComponent;

function curl({ url, control, key, project }: RecipeValues): string {
  const projectUrl = `${control}/projects/${inPath(project)}`;
  return `# Import two jobs. The id of the second one makes it fail downstream.
curl -i -X POST ${inShell(`${url}/async/projects/${inPath(project)}/jobs`)} \\
  -H ${inShell(`apikey: ${key}`)} -H 'content-type: application/json' \\
  -d '${body}'

# The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
curl ${inShell(`${projectUrl}/callbacks?state=inbox&await=5s`)}

# List the stored jobs and the requests.
curl ${inShell(`${projectUrl}/jobs`)}
curl ${inShell(`${projectUrl}/requests`)}
`;
}

function node({ url, control, key, project }: RecipeValues): string {
  return `const url = ${quote(url)};
const control = ${quote(control)};
const project = ${quote(project)};

const response = await fetch(\`\${url}/async/projects/\${encodeURIComponent(project)}/jobs\`, {
  method: 'POST',
  headers: { apikey: ${quote(key)}, 'content-type': 'application/json' },
  body: JSON.stringify({ jobs: [{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }] }),
});
console.log(response.status, await response.json());

// The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
const inbox = await fetch(
  \`\${control}/projects/\${encodeURIComponent(project)}/callbacks?state=inbox&await=5s\`,
);
for (const { body } of (await inbox.json()).items) console.log(body.type, body.data.failed);
`;
}

function pythonRequests({ url, control, key, project }: RecipeValues): string {
  return `from urllib.parse import quote

import requests

url = ${quote(url)}
control = ${quote(control)}
project = quote(${quote(project)}, safe="")

response = requests.post(
    f"{url}/async/projects/{project}/jobs",
    headers={"apikey": ${quote(key)}},
    json={"jobs": [{"id": "ORD-1"}, {"id": "FAIL-GEOCODE-1"}]},
    timeout=10,
)
print(response.status_code, response.json())

# The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
inbox = requests.get(
    f"{control}/projects/{project}/callbacks",
    params={"state": "inbox", "await": "5s"},
    timeout=10,
)
for callback in inbox.json()["items"]:
    print(callback["body"]["type"], callback["body"]["data"]["failed"])
`;
}

function python({ url, control, key, project }: RecipeValues): string {
  return `import json
from urllib.parse import quote
from urllib.request import Request, urlopen

url = ${quote(url)}
control = ${quote(control)}
project = quote(${quote(project)}, safe="")

request = Request(
    f"{url}/async/projects/{project}/jobs",
    method="POST",
    headers={"apikey": ${quote(key)}, "content-type": "application/json"},
    data=json.dumps({"jobs": [{"id": "ORD-1"}, {"id": "FAIL-GEOCODE-1"}]}).encode(),
)
with urlopen(request, timeout=10) as response:
    print(response.status, json.load(response))

# The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
with urlopen(f"{control}/projects/{project}/callbacks?state=inbox&await=5s", timeout=10) as inbox:
    for callback in json.load(inbox)["items"]:
        print(callback["body"]["type"], callback["body"]["data"]["failed"])
`;
}

function java({ url, control, key, project }: RecipeValues): string {
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class Connect {
  public static void main(String[] args) throws Exception {
    String url = ${quote(url)};
    String control = ${quote(control)};
    String project = ${quote(inPath(project))};
    HttpClient client = HttpClient.newHttpClient();

    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/async/projects/" + project + "/jobs"))
        .header("apikey", ${quote(key)})
        .header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(${quote(body)}))
        .build();
    var response = client.send(request, BodyHandlers.ofString());
    System.out.println(response.statusCode() + " " + response.body());

    // The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
    HttpRequest inbox = HttpRequest.newBuilder(
        URI.create(control + "/projects/" + project + "/callbacks?state=inbox&await=5s")).build();
    System.out.println(client.send(inbox, BodyHandlers.ofString()).body());
  }
}
`;
}

const aboutJobs = 'Imports two jobs, one of which fails downstream, and reads the callback that reports it.';

export const recipes: readonly Recipe[] = [
  { name: 'curl', title: 'curl', file: 'a terminal', about: aboutJobs, text: curl },
  { name: 'node', title: 'Node', file: 'connect.mjs', about: `${aboutJobs} Requires only Node.`, text: node },
  {
    name: 'python-requests',
    title: 'Python: requests',
    file: 'connect.py',
    about: `${aboutJobs} Requires the package requests.`,
    text: pythonRequests,
  },
  {
    name: 'python',
    title: 'Python: standard library',
    file: 'connect.py',
    about: `${aboutJobs} Requires only Python.`,
    text: python,
  },
  {
    name: 'java',
    title: 'Java',
    file: 'Connect.java',
    about: `${aboutJobs} Requires Java 11 or later: java Connect.java`,
    text: java,
  },
  ...[githubRecipe, gitlabRecipe, composeRecipe, nodeContainer, javaContainer, pythonContainer],
];
