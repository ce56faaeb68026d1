/** Sweeps and proofs start a client process per run. One is the quick sweep of docs/guides/sweep.md. */
import { longFiles, playFiles } from './play.ts';

playFiles(longFiles);
