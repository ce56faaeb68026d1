/**
 * The served document in the importers of Postman and Insomnia: every operation arrives, and what arrives can be sent.
 * Run by `npm run test:package`, since the importers are fetched for it.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { useFetched } from '../harness/fetched.ts';
import { useProgram } from '../harness/program.ts';

const fetched = useFetched('the importers of Postman and Insomnia were', [
  'insomnia-importers@3.6.0',
  'openapi-to-postmanv2@6.3.3',
]);
const program = useProgram();
const moved = { operations: { asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT' } } };

function writeProfile(): string {
  const file = path.join(mkdtempSync(path.join(program.folder, 'profile-')), 'profile.yaml');
  writeFileSync(file, JSON.stringify(moved));
  return file;
}

/** A request of a collection, as far as it is looked at here. */
interface Imported {
  readonly method: string;
  readonly url: {
    readonly host: readonly string[];
    readonly path: readonly string[];
    readonly variable?: readonly { readonly key: string; readonly value: string }[];
    readonly query?: readonly { readonly key: string; readonly value: string }[];
  };
  readonly header: readonly { readonly key: string; readonly value: string }[];
  readonly body: { readonly raw: string };
}

interface Folder {
  readonly item?: readonly Folder[];
  readonly request?: Imported;
}

interface Collection extends Folder {
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly auth: {
    readonly type: string;
    readonly apikey: readonly { readonly key: string; readonly value: string }[];
  };
}

function requestsIn({ item = [], request }: Folder): readonly Imported[] {
  return request ? [request] : item.flatMap(requestsIn);
}

/** Sends a request of a collection as Postman does, with the variable `apiKey` filled in. */
function send({ variable, auth }: Collection, { method, url, header, body }: Imported): Promise<Response> {
  const filled = (key: string) => url.variable?.find((one) => one.key === key)?.value ?? '';
  const part = (text: string) => (text.startsWith(':') ? encodeURIComponent(filled(text.slice(1))) : text);
  const base = variable.find(({ key }) => key === 'baseUrl')?.value ?? '';
  const query = new URLSearchParams(
    (url.query ?? []).map(({ key, value }): [string, string] => [key, value]),
  ).toString();
  const { key = '', value = '' } = Object.fromEntries(auth.apikey.map((one) => [one.key, one.value]));
  const headers = Object.fromEntries(header.map((one) => [one.key, one.value]));
  headers[key] = value.replace('{{apiKey}}', 'sandbox-key');
  expect(url.host).toEqual(['{{baseUrl}}']);
  return fetch(`${base}/${url.path.map(part).join('/')}${query && `?${query}`}`, { method, headers, body: body.raw });
}

/** As Postman imports with "Parameter generation: Example"; with "Schema" it fills in texts such as `<number>`. */
function convert(data: string): Promise<Collection> {
  type Done = (
    error: Error | null,
    outcome: { result: boolean; reason: string; output: { data: Collection }[] },
  ) => void;
  const { convertV2 } = fetched.require('openapi-to-postmanv2') as {
    convertV2(input: object, options: object, done: Done): void;
  };
  return new Promise((resolve, reject) => {
    convertV2({ type: 'string', data }, { parametersResolution: 'Example' }, (error, { result, reason, output }) => {
      const [made] = output ?? [];
      if (error || !result || !made) reject(error ?? new Error(reason));
      else resolve(made.data);
    });
  });
}

describe.runIf(fetched.isReachable).each([
  ['as it is shipped', (): string[] => [], 'POST async/projects/:projectId/jobs'],
  ['with a path that a profile moved', () => ['--profile', writeProfile()], 'PUT v2/jobs'],
])('Postman, %s', (_what, args, place) => {
  let url = '';
  let collection: Collection;
  const nameOf = ({ method, url: { path: parts } }: Imported): string => `${method} ${parts.join('/')}`;

  beforeAll(async () => {
    url = await program.startSandbox(args());
    const data = await (await fetch(`${url}/_sandbox/openapi.json`)).text();
    collection = await convert(data);
  });

  test("contains all 29 operations with an example body and this sandbox's URL", () => {
    const requests = requestsIn(collection);
    expect(new Set(requests.map(nameOf)).size).toBe(29);
    expect(requests.map(nameOf)).toContain(place);
    for (const { body, ...request } of requests) {
      expect(Object.keys(JSON.parse(body.raw)).length, nameOf({ body, ...request })).toBeGreaterThan(0);
      expect(body.raw).not.toMatch(/"<\w+>"/);
    }
    expect(collection.variable).toContainEqual(expect.objectContaining({ key: 'baseUrl', value: url }));
  });

  test('contains requests that the sandbox accepts unchanged', async () => {
    const refused: string[] = [];
    for (const request of requestsIn(collection)) {
      const answer = await send(collection, request);
      const text = await answer.text();
      // Another operation before it has made the same.
      if (!answer.ok && !text.includes('exists already')) refused.push(`${nameOf(request)} ${answer.status} ${text}`);
    }
    expect(refused).toEqual([]);
    const jobs = await (await fetch(`${url}/_sandbox/projects/brisbane-metro/jobs`)).json();
    expect(jobs).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ id: 'JOB-20931' })]) });
  });
});

test.runIf(fetched.isReachable)('Postman imports the control API', async () => {
  const url = await program.startSandbox();
  const data = await (await fetch(`${url}/_sandbox/control.json`)).text();
  const { paths } = JSON.parse(data) as { paths: Readonly<Record<string, object>> };
  const operations = Object.values(paths).flatMap((path) =>
    Object.keys(path).filter((method) => /^(get|put|post|patch|delete)$/.test(method)),
  );
  const collection = await convert(data);
  expect(requestsIn(collection)).toHaveLength(operations.length);
  expect(collection.variable).toContainEqual(expect.objectContaining({ key: 'baseUrl', value: url }));
});

describe.runIf(fetched.isReachable)('Insomnia', () => {
  afterEach(() => vi.restoreAllMocks());

  test("contains all 29 operations with the key and this sandbox's URL", async () => {
    const url = await program.startSandbox();
    const { convert } = fetched.require('insomnia-importers') as {
      convert(text: string): Promise<{ type: { id: string }; data: { resources: readonly Record<string, unknown>[] } }>;
    };
    // It says that it can't validate OpenAPI 3.1, and reads it.
    vi.spyOn(console, 'log').mockReturnValue();
    const { type, data } = await convert(await (await fetch(`${url}/_sandbox/openapi.json`)).text());
    expect(type.id).toBe('openapi3');
    const requests = data.resources.filter(({ _type }) => _type === 'request');
    expect(requests).toHaveLength(29);
    const key = expect.objectContaining({ name: 'apikey', value: '{{ apikey }}' });
    for (const { headers } of requests) expect(headers).toContainEqual(key);
    const environments = data.resources.filter(({ _type }) => _type === 'environment').map((one) => one['data']);
    expect(environments).toContainEqual(expect.objectContaining({ scheme: 'http', host: new URL(url).host }));
  });
});
