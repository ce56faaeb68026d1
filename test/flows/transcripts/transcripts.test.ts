/** Plays the transcripts of this folder. `README.txt` describes them. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'vitest';
import { sampleOf } from '../../harness/amounts.ts';
import { testTranscript } from './play.ts';

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.txt') && name !== 'README.txt');

describe.each(files.map((name, turn) => [name, turn] as const))('%s', (name, turn) =>
  testTranscript(path.join(import.meta.dirname, name), (parts) => sampleOf(parts, turn)),
);
