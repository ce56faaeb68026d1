/** A client with weaknesses: `node weak.mjs ignores-status`, or several, separated by commas. */
import { robustRules } from './rules.mjs';
import { runSuite } from './suite.mjs';
import { weaknesses } from './weaknesses.mjs';

const names = (process.argv[2] ?? '').split(',');
const unknown = names.find((name) => !weaknesses[name]);
if (unknown !== undefined) {
  console.error(`expected names of weaknesses: ${Object.keys(weaknesses).join(', ')}; got ${unknown || 'none'}`);
  process.exit(2);
}
const rules = Object.assign({}, robustRules, ...names.map((name) => weaknesses[name].rules));
await runSuite(rules, { isThorough: names.some((name) => weaknesses[name].isThorough) });
