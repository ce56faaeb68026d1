/** Converts a project state to one JSON value. The project's file stores the same data as lines. */

import {
  captureLists,
  type StateValue,
  stateLists,
  toShortParts,
} from '../../src/project/persistence/format/state-value.ts';
import type { ProjectState } from '../../src/project/state.ts';

/** Returns a deep copy of the state, made through JSON. */
export function toValue(state: ProjectState): StateValue {
  const lists: Record<string, unknown[]> = Object.fromEntries(stateLists.map((list) => [list, []]));
  for (const [list, value] of captureLists(state)) lists[list]?.push(value);
  const { due, callbacks, ...records } = lists;
  return JSON.parse(JSON.stringify({ ...toShortParts(state), records, due, callbacks })) as StateValue;
}
