/**
 * Sweeps start a client process per case, so `npm test` leaves these to `npm run test:more`. One is the quick sweep of
 * docs/guides/sweep.md.
 */
import { playFiles } from './play.ts';

playFiles(['sweep-baseline.txt', 'sweep-verdicts.txt']);
