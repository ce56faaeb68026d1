/** Plays the transcripts of this folder. `README.txt` describes them. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'vitest';
import { testTranscript } from './play.ts';

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.txt') && name !== 'README.txt');

describe.each(files)('%s', (name) => testTranscript(path.join(import.meta.dirname, name)));
