/**
 * Every key of the profile changes what the served document says, except those of the sandbox itself. No component is
 * left that nothing refers to, and the document that other profiles share stays as it is.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import source from '../../../spec/openapi.yaml';
import { operationFacts } from '../../../src/config/config-files.ts';
import type { Json } from '../../../src/lib/json.ts';
import type { ApiDocument } from '../../../src/openapi/api-document.ts';
import { applyProfile } from '../../../src/openapi/document.ts';
import { toNullable } from '../../../src/openapi/nullable.ts';
import { referencesOf } from '../../../src/openapi/profile/move-identifiers.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { parseProfile } from '../../../src/openapi/profile/profile-file.ts';

/** Keys with the examples of the page, which differ from the defaults. */
const examples: readonly (readonly [string, string])[] = [
  ...readFileSync('docs/reference/profile.md', 'utf8').matchAll(/^\| `([\w.]+)` \| .*? \| `(.*?)` \| /gm),
].map(([, key = '', example = '']) => [key, example] as const);

/** What a client cannot know from a document: how much a sandbox holds. */
const ofTheSandbox = /^limits\.(?:depth|values|names|journal|project\.\w+|key\.\w+)$/;

const serve = (text: string): ApiDocument => {
  const parsed = parseProfile(text, 'example', operationFacts());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const document = applyProfile(source as ApiDocument, parsed.profile);
  return parsed.profile.nulls === 'ignore' ? toNullable(document) : document;
};

function findUnused(document: ApiDocument): readonly string[] {
  const { securitySchemes: _, ...components } = document['components'] as Record<string, Json>;
  const references = referencesOf(document);
  const all = Object.entries(components).flatMap(([kind, members]) =>
    Object.keys(members).map((name) => `#/components/${kind}/${name}`),
  );
  return all.filter((name) => !references.has(name));
}

const byDefault = JSON.stringify(applyProfile(source as ApiDocument, shippedProfile));
const shared = JSON.stringify(source);

// An overlay is a file, and a job's id elsewhere than in the path needs another path, too.
test.each(examples.filter(([key]) => key !== 'overlays' && key !== 'identifiers.jobId'))('%s: %s', (key, example) => {
  const names = key.replace('bodies.ID', 'bodies.registerUser').replace('ID', 'asyncImportJobs').split('.');
  const text = names.reduceRight<string>((inner, name) => `{ ${name}: ${inner} }`, example);
  const document = serve(text);
  expect(JSON.stringify(document) === byDefault).toBe(ofTheSandbox.test(key));
  expect(findUnused(document)).toEqual([]);
  expect(JSON.stringify(source) === shared).toBe(true);
});
