/** What the user has entered for each operation. It is kept until the page is closed or the session ends. */
import { splitPlace } from '../../../openapi/profile/places.ts';
import { callApi, projectPath } from '../../data/client.ts';
import { onSessionEnd } from '../../data/session-end.ts';
import { type ApiExample, type ApiOperation, parameterOf } from './document.ts';
import { createIdSource, type FilledBody, fillExample, toFreshId } from './example-ids.ts';

export interface Draft extends FilledBody {
  /** Name of the chosen example. */
  readonly example: string;
  /** Whether the user changed the text. */
  readonly isTyped: boolean;
  /** Whether the text was sent, so that its ids are used. */
  readonly isSent: boolean;
  /** The parameters except the project, by name. */
  readonly values: Readonly<Record<string, string>>;
}

export const drafts = new Map<string, Draft>();
onSessionEnd(() => drafts.clear());

export const nextId: () => string = createIdSource(Date.now);

/** A record that an update can be for. */
export interface KnownRecord {
  readonly id: string;
  readonly subProjectId: string | undefined;
}

const collectionNames = ['jobs', 'orders', 'routes', 'users'] as const;
type Collection = (typeof collectionNames)[number];

/** Returns the collection whose records an operation updates; undefined if it creates them. */
export function updatedCollection({ id }: ApiOperation): Collection | undefined {
  const [, name] = /update(job|order|user)/i.exec(id) ?? [];
  return collectionNames.find((one) => one === `${name?.toLowerCase()}s`);
}

/** Loads records that an update can be for, the newest first. A project without a record has none. */
export async function loadKnown(project: string, operation: ApiOperation): Promise<readonly KnownRecord[]> {
  const collection = updatedCollection(operation);
  if (collection === undefined) return [];
  type Item = Readonly<Partial<Record<'id' | 'username' | 'subProjectId' | 'createdAt', string>>>;
  try {
    const { items } = await callApi<{ items: readonly Item[] }>(
      'GET',
      projectPath(project, `/${collection}?limit=100`),
    );
    const known = items.map((item) => ({ id: item.id ?? item.username ?? '', subProjectId: item.subProjectId }));
    const inSubproject = known.filter(({ subProjectId }) => subProjectId !== undefined);
    const isOfSubproject = parameterOf(operation, 'subProjectId') !== undefined && operation.id.includes('Subproject');
    return (isOfSubproject && inSubproject.length > 0 ? inSubproject : known).toReversed();
  } catch {
    return [];
  }
}

/** Fills the example of an operation, with new ids or those of records. */
export function createDraft(
  operation: ApiOperation,
  example: ApiExample | undefined,
  project: string,
  known: readonly KnownRecord[],
): Draft {
  const isUpdate = updatedCollection(operation) !== undefined;
  const toId = (id: string, index: number): string => (isUpdate ? (known[index]?.id ?? id) : toFreshId(id, nextId()));
  const filled =
    example === undefined ? { text: '', ids: [] } : fillExample(withProject(operation, example.value, project), toId);
  const [first] = known;
  const values = operation.parameters.map(({ name, example: value }) => [
    name,
    value === undefined ? '' : String(value),
  ]);
  return {
    text: filled.text,
    // The ids of records stay the same with each sending.
    ids: isUpdate ? [] : filled.ids,
    example: example?.name ?? '',
    isTyped: false,
    isSent: false,
    values: { ...Object.fromEntries(values), ...(first && identify(operation, first)) },
  };
}

/** Fills in the project if a profile has moved it into the body. */
function withProject({ identifiers }: ApiOperation, value: unknown, project: string): unknown {
  const [kind, name] = splitPlace(identifiers['projectId'] ?? 'path', 'projectId');
  return kind === 'body' ? { ...(value as object), [name]: project } : value;
}

function identify(operation: ApiOperation, { id, subProjectId }: KnownRecord): Readonly<Record<string, string>> {
  const names = ['jobId', 'orderId', 'username'].map((one) => parameterOf(operation, one) ?? one);
  const found = operation.parameters.find(({ name }) => names.includes(name));
  const subproject = parameterOf(operation, 'subProjectId');
  return {
    ...(found && { [found.name]: id }),
    ...(subproject !== undefined && subProjectId !== undefined && { [subproject]: subProjectId }),
  };
}
