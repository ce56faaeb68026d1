/** A client that survives every failure that a client can survive, and reports the others. */
import { robustRules } from './rules.mjs';
import { runSuite } from './suite.mjs';

await runSuite(robustRules, { isThorough: true });
