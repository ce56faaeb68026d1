/** Profile files: merged over the shipped one, or every mistake at once with line, column and what was meant. */
import { describe, expect, test } from 'vitest';
import { text as shippedText } from '../../../spec/profile.yaml';
import { operationFacts } from '../../../src/config/config-files.ts';
import { formatIssue } from '../../../src/diagnostics/yaml-file.ts';
import { type Profile, shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { parseProfile } from '../../../src/openapi/profile/profile-file.ts';

const parse = (text: string) => parseProfile(text, 'profile.yaml', operationFacts());

function profileOf(text: string): Profile {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(parsed.issues.map(({ message }) => message).join('\n'));
  return parsed.profile;
}

function issuesOf(text: string): readonly string[] {
  const parsed = parse(text);
  return parsed.ok ? [] : parsed.issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('a valid profile', () => {
  test('equals the default if it is empty', () => {
    expect(profileOf('{}')).toEqual(shippedProfile);
    expect(profileOf(shippedText)).toEqual(shippedProfile);
  });

  test('overrides the default group by group', () => {
    const profile = profileOf('errors: { foreignKey: 404 }\nlimits:\n  entries: 50\nduplicates: replace\n');
    expect(profile).toEqual({
      ...shippedProfile,
      errors: { ...shippedProfile.errors, foreignKey: 404 },
      limits: { ...shippedProfile.limits, entries: 50 },
      duplicates: { jobs: 'replace', orders: 'replace', routes: 'replace', users: 'replace', routeJobs: 'replace' },
    });
  });

  test('replaces a list as a whole', () => {
    expect(profileOf('callbacks: { retries: [1s] }').callbacks).toEqual({
      ...shippedProfile.callbacks,
      retries: ['1s'],
    });
    expect(profileOf('required: { jobs: [id, address] }').required).toEqual({
      jobs: { create: ['id', 'address'], update: ['id', 'address'], inRoute: ['id', 'address'] },
      orders: ['id'],
      routes: ['id'],
    });
  });

  test('has one list or word for all, or one each', () => {
    const { required, duplicates } = profileOf(
      'required: { jobs: { update: [id, status] } }\nduplicates: { routes: replace }\n',
    );
    expect(required).toEqual({
      ...shippedProfile.required,
      jobs: { create: ['id'], update: ['id', 'status'], inRoute: ['id'] },
    });
    expect(duplicates).toEqual({ ...shippedProfile.duplicates, routes: 'replace' });
  });

  test('is valid in its normal form', () => {
    const profile = profileOf(
      'duplicates: replace\nrequired: { jobs: [id, address] }\ntransitions: { jobs: { DELIVERED: [], READY: [DISPATCH] } }\nrate: { requests: 6, per: 1m }\nlimits: { journal: 5 }\n',
    );
    expect(profileOf(JSON.stringify(profile))).toEqual(profile);
  });

  test('can move operations, also into the query', () => {
    const operations = {
      asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT', status: 200 },
      asyncUpdateJob: { path: '/v2/{projectId}/jobs/{jobId}', mode: 'sync' },
    };
    expect(profileOf(JSON.stringify({ basePath: '/field', operations }))).toEqual({
      ...shippedProfile,
      basePath: '/field',
      operations,
    });
  });
});

describe('an invalid profile is rejected with its position and a suggestion', () => {
  test.each<[string, string, readonly RegExp[]]>([
    ['an unknown key', 'basepath: /v2\n', [/^1:1 unknown key "basepath".*basePath/]],
    [
      'an unknown operation',
      'operations:\n  importJobsAsync: { status: 200 }\n',
      [/^2:3 unknown key "importJobsAsync"/],
    ],
    [
      'a misspelt operation',
      'operations:\n  asyncImportJob: {}\n',
      [/^2:3 unknown key "asyncImportJob".*asyncImportJobs/],
    ],
    ['an unknown key of an operation', 'operations:\n  registerUser: { pfad: /x }\n', [/^2:19 unknown key "pfad"/]],
    ['an unknown kind of error', 'errors:\n  invald: 422\n', [/^2:3 unknown key "invald".*invalid/]],
    [
      'an unknown parameter',
      'operations:\n  registerUser:\n    path: /u/{project}\n',
      [/^3:11 expected the parameter \{projectId\} in the path or its query/],
    ],
    [
      'a parameter too many',
      'operations:\n  registerUser:\n    path: /u/{projectId}/{username}\n',
      [/^3:11 expected only the parameters \{projectId\}, got \{username\}/],
    ],
    [
      'a parameter twice',
      'operations:\n  registerUser:\n    path: /u/{projectId}?p={projectId}\n',
      [/^3:11 expected each parameter once/],
    ],
    [
      'a place that is none',
      'identifiers: { projectId: url }',
      [/^1:27 expected path, query, body, query:NAME, body:NAME or header:NAME/],
    ],
    ['a header that has another meaning', 'identifiers: { projectId: "header:apikey" }', [/^1:27 .*another meaning/]],
    ['a header of a secret', 'identifiers: { projectId: "header:x-auth-token" }', [/^1:27 .*secret/]],
    [
      'an identifier that an operation lacks',
      'operations: { registerUser: { identifiers: { jobId: body } } }',
      [/^1:46 unknown key "jobId"/],
    ],
    [
      'a path with an identifier of the body',
      'operations: { registerUser: { path: "/u/{projectId}", identifiers: { projectId: body } } }',
      [/^1:37 expected a path without \{projectId\}, which `identifiers` places in body/],
    ],
    [
      'two identifiers in one header',
      'identifiers: { projectId: "header:x-id", jobId: "header:X-Id" }',
      [/^1:49 projectId and jobId have the same place, header:x-id/],
    ],
    [
      'the name of a field that bodies have',
      'identifiers: { projectId: "body:jobs" }',
      [/^1:27 there are bodies with a field jobs of their own; choose another name/],
    ],
    ['a path of ours', 'operations: { registerUser: { path: "/_sandbox/{projectId}" } }', [/^1:37 .*control API/]],
    [
      'a path without slash',
      'operations: { registerUser: { path: "u/{projectId}" } }',
      [/^1:37 expected a path that begins/],
    ],
    ['a base path of ours', 'basePath: /_sandbox', [/^1:11 .*control API/]],
    ['a base path that ends in a slash', 'basePath: /v2/', [/^1:11 expected an empty text, or a path/]],
    ['a method that is none', 'operations: { registerUser: { method: PSOT } }', [/^1:39 .*POST/]],
    ['a success that is none', 'operations: { registerUser: { status: 404 } }', [/^1:39 /]],
    [
      'a success without a body, although the result is shown',
      'operations: { syncCreateJob: { status: 204 }, registerUser: { status: 205 } }',
      [/^1:40 expected a status of responses with a body/, /^1:71 expected a status of responses with a body/],
    ],
    ['an error that is none', 'errors: { invalid: 200 }', [/^1:20 /]],
    ['a duration without unit', 'downstream: { processing: 200 }', [/^1:27 /]],
    ['a size that is none', 'limits: { body: 16 megabytes }', [/^1:17 expected a number and B, kB, MB or GB/]],
    ['a limit of none', 'limits: { entries: 0 }', [/^1:20 /]],
    ['a choice that is none', 'duplicates: ignore', [/^1:13 .*reject.*replace/]],
    ['a list that is none', 'required: { jobs: id }', [/^1:19 /]],
    ['entries without an id', 'required: { orders: [] }', [/^1:21 .*id/]],
    ['an update without an id', 'required: { jobs: { update: [status] } }', [/^1:29 .*"id"/]],
    ['a variant that is none', 'required: { jobs: { creat: [id] } }', [/^1:21 unknown key "creat".*create/]],
    ['a collection that is none', 'duplicates: { job: replace }', [/^1:15 unknown key "job".*jobs/]],
    ['a type of user that is none', 'users: { withoutType: user }', [/^1:23 .*reject.*attendant.*driver/]],
    ['a status that is none', 'transitions: { jobs: { DELIVERD: [] } }', [/^1:24 unknown key "DELIVERD".*DELIVERED/]],
    ['a following status that is none', 'transitions: { orders: { READY: [COMPLET] } }', [/^1:34 .*COMPLETE\?/]],
    ['a rate without a time', 'rate: { requests: 600 }', [/^1:7 missing key per/]],
    ['a rate of none', 'rate: { requests: 0, per: 1m }', [/^1:19 /]],
    ['a treatment of nulls that is none', 'nulls: ignored', [/^1:8 .*ignore\?/]],
    ['no mapping', '- a\n', [/^1:1 /]],
    ['no YAML', 'errors: { invalid: 400\n', [/^\d+:\d+ /]],
  ])('%s', (_what, text, patterns) => {
    const issues = issuesOf(text);
    expect(issues).toHaveLength(patterns.length);
    for (const [index, pattern] of patterns.entries()) expect(issues[index]).toMatch(pattern);
  });

  test('reports all errors at once, in the order of the file', () => {
    const text = [
      'basePath: v2',
      'errors:',
      '  invalid: 99',
      '  unknwonKey: 401',
      'operations:',
      '  asyncImportJobz: { status: 200 }',
      '  asyncUpdateJob: { path: "/jobs/{jobId}", mode: later }',
      'limit: { depth: 5 }',
      '',
    ].join('\n');
    expect(issuesOf(text).map((issue) => issue.split(' ')[0])).toEqual([
      '1:11',
      '3:12',
      '4:3',
      '6:3',
      '7:27',
      '7:50',
      '8:1',
    ]);
  });

  test('reports operations that share method and path, with the key that caused it', () => {
    const text = [
      'identifiers:',
      '  jobId: body',
      'operations:',
      '  asyncImportJobs: { path: "/v2/{projectId}" }',
      '  syncCreateJobs: { path: "/v2/{projectId}", status: 99 }',
      '  syncImportOrders: { method: PATCH, path: "/async/projects/{projectId}/routes/x", identifiers: {} }',
      '  asyncImportOrders: { identifiers: { projectId: query } }',
      '  asyncImportRoutes: { path: "/async/projects/orders?p={projectId}" }',
    ].join('\n');
    const issues = issuesOf(text);
    expect(issues).toEqual([
      expect.stringMatching(
        /^2:10 asyncUpdateJob and asyncUpdateJobs must differ .* got PATCH \/async\/projects\/\{projectId\}\/jobs for both/,
      ),
      expect.stringMatching(/^2:10 asyncUpdateJobInSubproject and asyncUpdateJobsInSubproject must differ/),
      expect.stringMatching(
        /^5:\d+ syncCreateJobs and asyncImportJobs must differ .* got POST \/v2\/\{projectId\} for both/,
      ),
      expect.stringMatching(/^5:\d+ .*200/),
      expect.stringMatching(/^7:\d+ asyncImportOrders and asyncImportRoutes must differ/),
    ]);
  });

  test("starts a line with the file's name", () => {
    const text = 'duplicates: rejct\n';
    const parsed = parse(text);
    const [issue] = parsed.ok ? [] : parsed.issues;
    expect(issue && formatIssue(issue, text)).toMatch(/^profile\.yaml:1:13.*did you mean reject\?/s);
  });

  test.each(['__proto__', 'constructor', 'toString'])('the key %s', (key) => {
    expect(issuesOf(`${key}: { a: 1 }\n`)).toHaveLength(1);
    expect(issuesOf(`operations: { ${key}: { status: 200 } }\n`)).toHaveLength(1);
  });
});

describe('templates, headers and signatures', () => {
  test('are merged with the default as they are written', () => {
    const bodies = {
      error: { error: { text: '{message}' } },
      registerUser: { id: '{username}' },
      callback: ['{data}'],
    };
    const signature = { hmac: 'sha256', header: 'x-sign', value: 't={timestamp},v1={hex}', over: '{id}.{body}' };
    const parsed = profileOf(JSON.stringify({ bodies, callbacks: { signature }, responseHeaders: { 'x-a': '1' } }));
    expect(parsed).toEqual({
      ...shippedProfile,
      bodies,
      callbacks: { ...shippedProfile.callbacks, signature },
      responseHeaders: { 'x-a': '1' },
    });
    expect(profileOf('bodies: { error: problem }').bodies).toEqual({ error: 'problem' });
  });

  test.each([
    [
      'bodies: { error: { a: ["{mesage}"] } }',
      '1:24 unknown placeholder {mesage}, did you mean message? known are {message}',
    ],
    [
      'bodies:\n  callback: { a: "x { y" }',
      '2:18 expected a placeholder, such as {type}; write {{ for the character {',
    ],
    ['bodies: { registerUser: { a: "{password}" } }', '1:30 unknown placeholder {password}, known are {id}'],
    [
      'bodies: { error: problme }',
      '1:18 expected a template, or the word problem, got "problme", did you mean problem?',
    ],
    ['bodies: { asyncImportJobs: {} }', "1:28 asyncImportJobs has no template, because the API's documentation shows"],
    ['bodies: { callbak: {} }', '1:11 unknown key "callbak", did you mean callback?'],
    ['bodies: { error: }', '1:11 expected a template, got null'],
    ['responseHeaders: { content-length: "1" }', '1:20 expected a header other than content-length, '],
    ['responseHeaders: { "a b": "1" }', '1:20 expected a header name, got "a b"'],
    ['responseHeaders: { a: 1 }', '1:23 expected text, got 1'],
    ['responseHeaders: { a: "1\\n2" }', '1:23 expected a header value of Latin-1 characters on one line'],
    ['responseHeaders: { a: "1", A: "2" }', '1:31 the header A is set twice'],
    ['callbacks: { headers: { x-type: "{typ}" } }', '1:33 unknown placeholder {typ}, did you mean type?'],
    ['callbacks: { headers: { webhook-id: "1" } }', '1:37 the signature sets the header webhook-id'],
    ['callbacks: { method: GET }', '1:22 expected one of POST, PUT or PATCH, got "GET"'],
    ['callbacks: { contentType: json }', '1:27 expected a media type, such as application/json, got "json"'],
    ['callbacks: { signature: standard }', '1:25 expected one of standard-webhooks or none'],
    ['callbacks: { signature: { hmac: md5, header: a } }', '1:33 expected one of sha1, sha256 or sha512, got "md5"'],
    [
      'callbacks: { signature: { hmac: sha1, header: a, value: "{hex" } }',
      '1:57 expected a placeholder, such as {hex}',
    ],
    ['callbacks: { signature: { hmac: sha1, header: a, value: "x" } }', '1:57 expected {hex} or {base64}, the HMAC'],
    ['callbacks: { signature: { header: a, value: "{hex}" } }', '1:45 unknown placeholder {hex}, known are {secret}'],
    [
      'callbacks: { signature: { hmac: sha1, header: a, over: "{bdy}" } }',
      '1:56 unknown placeholder {bdy}, did you mean body?',
    ],
    [
      'callbacks: { signature: { header: a } }',
      'missing key value: expected hmac, or a value such as "Bearer {secret}"',
    ],
  ])('%s', (text, message) => {
    expect(issuesOf(text).join('\n')).toContain(message);
  });
});
