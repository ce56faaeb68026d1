/** Recipes to copy: how each tool connects to the sandbox, with URL, key and project filled in. */
import { fillTarget, inShell, type RequestPlace } from '../../data/request-place.ts';
import { defaultPlace, quote, type Recipe, type RecipeValues } from './recipe.ts';
import { composeRecipe, githubRecipe, gitlabRecipe } from './recipes-ci.ts';
import { javaContainer, nodeContainer, pythonContainer } from './recipes-containers.ts';

const inPath = encodeURIComponent;

/** Returns the body to import jobs. */
function toBody({ field }: RequestPlace, projectId: string): string {
  return JSON.stringify({ ...(field && { [field]: projectId }), jobs: [{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }] });
}

function curl({ url, control, key, project, place = defaultPlace }: RecipeValues): string {
  const projectUrl = `${control}/projects/${inPath(project)}`;
  return `# Import two jobs. The id of the second one makes it fail downstream.
curl -i -X ${place.method} ${inShell(url + fillTarget(place, inPath(project)))} \\
  -H ${inShell(`apikey: ${key}`)}${place.header ? ` -H ${inShell(`${place.header}: ${project}`)}` : ''} -H 'content-type: application/json' \\
  -d ${inShell(toBody(place, project))}

# The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
curl ${inShell(`${projectUrl}/callbacks?state=inbox&await=5s`)}

# List the stored jobs and the requests.
curl ${inShell(`${projectUrl}/jobs`)}
curl ${inShell(`${projectUrl}/requests`)}
`;
}

function node({ url, control, key, project, place = defaultPlace }: RecipeValues): string {
  return `const url = ${quote(url)};
const control = ${quote(control)};
const project = ${quote(project)};

const response = await fetch(\`\${url}${fillTarget(place, `\${encodeURIComponent(project)}`)}\`, {
  method: '${place.method}',
  headers: { apikey: ${quote(key)}, ${place.header ? `${quote(place.header)}: project, ` : ''}'content-type': 'application/json' },
  body: JSON.stringify({ ${place.field ? `${quote(place.field)}: project, ` : ''}jobs: [{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }] }),
});
console.log(response.status, await response.json());

// The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
const inbox = await fetch(
  \`\${control}/projects/\${encodeURIComponent(project)}/callbacks?state=inbox&await=5s\`,
);
for (const { body } of (await inbox.json()).items) console.log(body.type, body.data.failed);
`;
}

function pythonRequests({ url, control, key, project, place = defaultPlace }: RecipeValues): string {
  return `from urllib.parse import quote

import requests

url = ${quote(url)}
control = ${quote(control)}
project = quote(${quote(project)}, safe="")

response = requests.${place.method.toLowerCase()}(
    f"{url}${fillTarget(place, '{project}')}",
    headers={"apikey": ${quote(key)}${place.header ? `, ${quote(place.header)}: ${quote(project)}` : ''}},
    json={${place.field ? `${quote(place.field)}: ${quote(project)}, ` : ''}"jobs": [{"id": "ORD-1"}, {"id": "FAIL-GEOCODE-1"}]},
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

function python({ url, control, key, project, place = defaultPlace }: RecipeValues): string {
  return `import json
from urllib.parse import quote
from urllib.request import Request, urlopen

url = ${quote(url)}
control = ${quote(control)}
project = quote(${quote(project)}, safe="")

request = Request(
    f"{url}${fillTarget(place, '{project}')}",
    method="${place.method}",
    headers={"apikey": ${quote(key)}, ${place.header ? `${quote(place.header)}: ${quote(project)}, ` : ''}"content-type": "application/json"},
    data=json.dumps({${place.field ? `${quote(place.field)}: ${quote(project)}, ` : ''}"jobs": [{"id": "ORD-1"}, {"id": "FAIL-GEOCODE-1"}]}).encode(),
)
with urlopen(request, timeout=10) as response:
    print(response.status, json.load(response))

# The failure is reported by callback. Without an endpoint, callbacks are stored in the inbox.
with urlopen(f"{control}/projects/{project}/callbacks?state=inbox&await=5s", timeout=10) as inbox:
    for callback in json.load(inbox)["items"]:
        print(callback["body"]["type"], callback["body"]["data"]["failed"])
`;
}

function java({ url, control, key, project, place = defaultPlace }: RecipeValues): string {
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

    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "${fillTarget(place, '" + project + "')}"))
        .header("apikey", ${quote(key)})${place.header ? `\n        .header(${quote(place.header)}, ${quote(project)})` : ''}
        .header("content-type", "application/json")
        .method("${place.method}", HttpRequest.BodyPublishers.ofString(${quote(toBody(place, project))}))
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
