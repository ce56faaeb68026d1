/**
 * Lets code import the project's YAML files. The build and the tests parse them, so the server does not need to.
 * Usage: `import value, { text } from './file.yaml'`. `virtual:shipped-scenarios` lists all files in scenarios/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const shippedScenarios = 'virtual:shipped-scenarios';
const scenarioFolder: URL = new URL('../scenarios/', import.meta.url);

interface Plugin {
  readonly name: string;
  resolveId(id: string): string | undefined;
  load(id: string): { code: string; moduleType: 'js' } | undefined;
}

/** Creates the plugin for rolldown (build) and vite (tests). */
export function yamlPlugin(): Plugin {
  return {
    name: 'yaml',
    resolveId: (id) => (id === shippedScenarios ? `\0${shippedScenarios}` : undefined),
    load(id) {
      if (id === `\0${shippedScenarios}`) return { code: toScenarioList(), moduleType: 'js' };
      if (!id.endsWith('.yaml')) return undefined;
      const text = readFileSync(id, 'utf8');
      const code = `export default ${toLiteral(parse(text))};\nexport const text = ${JSON.stringify(text)};`;
      return { code, moduleType: 'js' };
    },
  };
}

function toScenarioList(): string {
  const files = readdirSync(scenarioFolder).filter((file) => file.endsWith('.yaml'));
  const shipped = files.sort().map((file) => {
    const text = readFileSync(new URL(file, scenarioFolder), 'utf8');
    return { file, text, value: parse(text) as unknown };
  });
  return `export default ${toLiteral(shipped)};`;
}

/** Returns code that parses the value: V8 reads a large literal faster as JSON than as code. */
function toLiteral(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}
