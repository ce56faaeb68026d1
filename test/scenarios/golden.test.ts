/** Plays the cases of `golden/`. `test/flows/transcripts/README.txt` describes their format. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'vitest';
import { testTranscript } from '../flows/transcripts/play.ts';
import { sampleOf } from '../harness/amounts.ts';

const folder = path.join(import.meta.dirname, 'golden');

describe.each(readdirSync(folder).map((name, turn) => ({ name, turn })))('$name', ({ name, turn }) =>
  testTranscript(path.join(folder, name), (parts) => (name === 'recordings.txt' ? parts : sampleOf(parts, turn))),
);
