/** Every key of the profile changes what the served document says, except those of the sandbox itself. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import source from '../../../spec/openapi.yaml';
import { operationFacts } from '../../../src/config/config-files.ts';
import { type ApiDocument, applyProfile } from '../../../src/openapi/document.ts';
import { toNullable } from '../../../src/openapi/nullable.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { parseProfile } from '../../../src/openapi/profile/profile-file.ts';

/** Keys with the examples of the page, which differ from the defaults. */
const examples: readonly (readonly [string, string])[] = [
  ...readFileSync('docs/reference/profile.md', 'utf8').matchAll(/^\| `([\w.]+)` \| .*? \| `(.*?)` \| /gm),
].map(([, key = '', example = '']) => [key, example] as const);

/** What a client cannot know from a document: how much a sandbox holds. */
const ofTheSandbox = /^limits\.(?:depth|values|names|journal|project\.\w+|key\.\w+)$/;

const served = (text: string): string => {
  const parsed = parseProfile(text, 'example', operationFacts());
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const document = applyProfile(source as ApiDocument, parsed.profile);
  return JSON.stringify(parsed.profile.nulls === 'ignore' ? toNullable(document) : document);
};
const byDefault = JSON.stringify(applyProfile(source as ApiDocument, shippedProfile));

// An overlay is a file, and a job's id elsewhere than in the path needs another path, too.
test.each(examples.filter(([key]) => key !== 'overlays' && key !== 'identifiers.jobId'))('%s: %s', (key, example) => {
  const names = key.replace('bodies.ID', 'bodies.registerUser').replace('ID', 'asyncImportJobs').split('.');
  const text = names.reduceRight<string>((inner, name) => `{ ${name}: ${inner} }`, example);
  if (ofTheSandbox.test(key)) expect(served(text)).toBe(byDefault);
  else expect(served(text)).not.toBe(byDefault);
});
