/** A client with one weakness: `node weak.mjs ignores-status`. */
import { robustRules } from './rules.mjs';
import { runSuite } from './suite.mjs';
import { weaknesses } from './weaknesses.mjs';

const [, , name] = process.argv;
const weakness = weaknesses[name];
if (!weakness) {
  console.error(`expected the name of a weakness: ${Object.keys(weaknesses).join(', ')}; got ${name ?? 'none'}`);
  process.exit(2);
}
await runSuite({ ...robustRules, ...weakness.rules }, { isThorough: weakness.isThorough ?? false });
