/**
 * The served document in the validators and generators of docs/guides/generated-clients.md: no complaints, and code that compiles.
 * Run by `npm run test:package`, since the tools are fetched for it.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import apiSource from '../../spec/openapi.yaml';
import { type ApiDocument, eachOperation } from '../../src/openapi/api-document.ts';
import { useFetched } from '../harness/fetched.ts';
import { environment } from '../harness/program.ts';
import { has } from '../harness/recipes.ts';
import { useSandbox } from '../harness/sandbox.ts';

const fetched = useFetched('the served document in validators and generators was', [
  '@apidevtools/swagger-parser@13.0.0',
  '@hey-api/openapi-ts@0.95.0',
  '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2',
  '@stoplight/spectral-core@1.24.1',
  '@stoplight/spectral-rulesets@1.23.1',
  'openapi-typescript@7.13.0',
  'orval@7.13.2',
  'typescript@5.9.3',
]);
const { folder, isReachable } = fetched;
const hasJava = has('java', '-version');
if (!hasJava) console.warn('here is no Java: the served document in OpenAPI Generator was NOT tested');

const sandboxes = {
  shipped: useSandbox(),
  rich: useSandbox({ profile: path.resolve('test/clients/profile/rich.profile.yaml') }),
} as const;
const versions = ['3.1', '3.0'] as const;
const documents = versions.flatMap((version) => [['shipped', version] as const, ['rich', version] as const]);

type Which = keyof typeof sandboxes;
type Version = (typeof versions)[number];

const fileOf = (which: Which, version: Version): string => path.join(folder, `${which}-${version}.json`);

const readDocument = (which: Which, version: Version): ApiDocument =>
  JSON.parse(readFileSync(fileOf(which, version), 'utf8')) as ApiDocument;

beforeAll(async () => {
  for (const [which, version] of documents) {
    const response = await fetch(`${sandboxes[which].url()}/_sandbox/openapi.json?version=${version}`);
    writeFileSync(fileOf(which, version), await response.text());
    expect(readDocument(which, version)['openapi']).toMatch(`${version}.`);
  }
});

/** Runs a program of the fetched packages, and returns its output. */
async function run(program: string, args: readonly string[], packages = folder): Promise<string> {
  const file = path.join(packages, 'node_modules/.bin', program);
  // Tools must not report their usage.
  const env = environment({ DO_NOT_TRACK: '1' });
  return (await promisify(execFile)(file, args, { cwd: folder, env, maxBuffer: 20_000_000, timeout: 50_000 })).stdout;
}

/** Compiles a generated client; `entry` is its main file. Returns what the compiler says. */
function compile(entry: string): Promise<string> {
  const module = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions'];
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', ...module];
  return run('tsc', [...options, entry], process.cwd()).catch(({ stdout }: { stdout: string }) => stdout);
}

const operationIds = [...eachOperation(apiSource as ApiDocument)].map(({ operation }) => operation['operationId']);

describe.runIf(isReachable)('validators', () => {
  /** Returns the errors and warnings of Spectral, with their places. */
  async function lint(document: unknown): Promise<readonly string[]> {
    const { Spectral } = fetched.require('@stoplight/spectral-core') as {
      Spectral: new () => { setRuleset(rules: object): void; run(document: unknown): Promise<readonly Finding[]> };
    };
    const { oas } = fetched.require('@stoplight/spectral-rulesets') as { oas: object };
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [oas] });
    return (await spectral.run(document)).map((found) => `${found.path.join('/')} ${found.code}: ${found.message}`);
  }

  interface Finding {
    readonly code: string;
    readonly message: string;
    readonly path: readonly (string | number)[];
  }

  test.each(versions)('Spectral finds nothing in OpenAPI %s', async (version) => {
    expect(await lint(readDocument('shipped', version))).toEqual([]);
  });

  test.each(documents)('swagger-parser accepts the %s document, OpenAPI %s', async (which, version) => {
    const parser = fetched.require('@apidevtools/swagger-parser') as { validate(file: string): Promise<object> };
    await expect(parser.validate(fileOf(which, version))).resolves.toHaveProperty('paths');
  });
});

/** Generates a client from a file into a folder, and returns the path of its main file. */
type Generate = (input: string, output: string) => Promise<string>;

const generators: Readonly<Record<string, Generate>> = {
  'openapi-typescript': async (input, output) => {
    await run('openapi-typescript', [input, '--make-paths-enum', '-o', `${output}/index.ts`]);
    return `${output}/index.ts`;
  },
  'hey-api': async (input, output) => {
    await run('openapi-ts', ['-i', input, '-o', output, '--no-log-file']);
    return `${output}/index.ts`;
  },
  orval: async (input, output) => {
    await run('orval', ['--input', input, '--output', `${output}/index.ts`, '--client', 'fetch']);
    return `${output}/index.ts`;
  },
  'OpenAPI Generator': async (input, output) => {
    const options = '--additional-properties=typescriptThreePlus=true';
    await run('openapi-generator', ['generate', '-g', 'typescript-fetch', '-i', input, '-o', output, options]);
    return `${output}/index.ts`;
  },
};

/** OpenAPI Generator reads 3.1 from version 7, which no npm package contains. */
const clients = documents.flatMap(([which, version]) =>
  Object.keys(generators)
    .filter((name) => which === 'shipped' || name === 'openapi-typescript')
    .filter((name) => name !== 'OpenAPI Generator' || (hasJava && version === '3.0'))
    .map((name) => [name, which, version] as const),
);

describe.runIf(isReachable)('generators', () => {
  test.each(clients)('%s: the %s document, OpenAPI %s', async (name, which, version) => {
    const output = path.join(folder, 'out', name.replaceAll(' ', '-'), `${which}-${version}`);
    mkdirSync(output, { recursive: true });
    const entry = await (generators[name] as Generate)(fileOf(which, version), output);
    expect(await compile(entry)).toBe('');
    const files = readdirSync(output, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const code = files.map((file) => readFileSync(path.join(output, file), 'utf8')).join('\n');
    expect(operationIds.filter((id) => !code.includes(`${id}`))).toEqual([]);
  });
});
