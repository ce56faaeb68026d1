/** Everything that can be looked at in the control API, with drawn parameters. */
import controlSource from '../../spec/control.yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, eachOperation, resolve } from '../../src/openapi/api-document.ts';
import type { Dice } from '../model/dice.ts';

const document = controlSource as ApiDocument;

interface View {
  readonly path: string;
  /** The names of the parameters of its query. */
  readonly names: readonly string[];
}

/** Streams, which have no end. */
const streams: readonly unknown[] = ['getEvents', 'getListener'];

const views: readonly View[] = [...eachOperation(document)]
  .filter(({ method, operation }) => method === 'get' && !streams.includes(operation['operationId']))
  .map(({ path, operation }) => {
    const parameters = ((operation['parameters'] ?? []) as Json[]).map((one) => resolve(document, one));
    return { path, names: parameters.filter((one) => one['in'] === 'query').map((one) => String(one['name'])) };
  });

const queries: Readonly<Record<string, readonly string[]>> = {
  await: ['50ms', '0s', 'soon'],
  min: ['1', '3'],
  limit: ['1', '2', '1000', '0'],
  cursor: ['1', '2', 'x'],
  contains: ['failed', 'R-1', '%22', 'null'],
  record: ['jobs/R-1', 'users/__proto__', 'routes/a%2Fb'],
  status: ['200', '202', 'DELIVERED', '503'],
  state: ['delivered', 'scheduled', 'lost'],
  operation: ['asyncImportJobs', 'async*'],
  bodies: ['true', 'false'],
  since: ['req_none', 'msg_none'],
  version: ['3.0'],
};

/** A view of this project, or of the server. */
export function drawView(dice: Dice, project: string): string {
  const ids = ['R-1', 'R-2', 'FAIL-1', 'one', 'outage', '%5F_proto__', '%00', 'req_none'];
  const { path, names } = dice.of(views);
  const own = path.replace('{projectId}', project).replace(/\{\w+\}/, () => dice.of(ids));
  const drawn = names.filter(() => dice.often(30)).map((name) => `${name}=${dice.of(queries[name] ?? ['1'])}`);
  if (dice.often(3)) drawn.push('colour=red');
  return drawn.length === 0 ? own : `${own}?${drawn.join('&')}`;
}
