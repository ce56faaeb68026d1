/** Builds the request of an operation from the fields of its form. */
import { type ApiOperation, parameterOf } from './document.ts';

export interface BuiltRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Fields {
  readonly project: string;
  /** Name of the header with the key, and the key. */
  readonly key: readonly [name: string, value: string];
  /** Scenario for this request only, or an empty text. */
  readonly scenario: string;
  /** The other parameters, by name. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Activates a scenario for one request. */
const scenarioHeader = 'x-sandbox-scenario';

export function buildRequest(operation: ApiOperation, { project, key, scenario, values, body }: Fields): BuiltRequest {
  const projectName = parameterOf(operation, 'projectId');
  const valueFor = (name: string): string => (name === projectName ? project : (values[name] ?? ''));
  const named = (place: string): readonly (readonly [string, string])[] =>
    operation.parameters
      .filter((one) => one.in === place)
      .map(({ name }) => [name, valueFor(name)] as const)
      .filter(([, value]) => value !== '');
  const path = operation.path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(valueFor(name)));
  const query = named('query').map((pair) => pair.map(encodeURIComponent).join('='));
  const hasBody = operation.body !== undefined && body !== '' && operation.method !== 'GET';
  const [keyName, keyValue] = key;
  return {
    method: operation.method,
    target: [path, ...(query.length === 0 ? [] : [query.join('&')])].join('?'),
    headers: {
      ...(keyValue !== '' && { [keyName]: keyValue }),
      ...Object.fromEntries(named('header')),
      ...(hasBody && { 'content-type': operation.body.type }),
      ...(scenario !== '' && { [scenarioHeader]: scenario }),
    },
    body: hasBody ? body : undefined,
  };
}
