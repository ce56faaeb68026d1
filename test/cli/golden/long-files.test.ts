/**
 * Sweeps, proofs and others that start many processes. Among them are the quick sweep and the proof of docs/guides/sweep.md,
 * and the proof of docs/reference/commands.md.
 */
import { longFiles, playFiles } from './play.ts';

playFiles(longFiles);
