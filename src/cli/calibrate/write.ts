/** Writes the proposals as a profile and an overlay. */
import path from 'node:path';
import type { Json } from '../../lib/json.ts';
import { readTextFile } from '../../lib/text-file.ts';
import { isObject } from './exchange.ts';
import type { OverlayAction } from './settle/proposal.ts';

/** Returns the text of a profile with a patch, and with the comments of the profile in question. */
export async function toProfileText(file: string | undefined, patch: Json): Promise<string> {
  const { Document, isMap, parseDocument } = await import('yaml');
  const read = file === undefined ? undefined : await readTextFile(file);
  const given = read && 'text' in read ? parseDocument(read.text) : undefined;
  const document = given && isMap(given.contents) ? given : new Document({});
  if (document !== given) document.commentBefore = ' Written by field-sandbox calibrate.';
  for (const [keys, value] of leavesOf(patch, [])) document.setIn(keys, document.createNode(value));
  return document.toString({ lineWidth: 120, flowCollectionPadding: true });
}

/** Yields the values of a patch that are no objects, with their keys. */
function* leavesOf(value: Json, keys: readonly string[]): Generator<readonly [readonly string[], unknown]> {
  for (const [key, inner] of Object.entries(value)) {
    const path = [...keys, key];
    if (isObject(inner) && Object.keys(inner).length > 0) yield* leavesOf(inner, path);
    else yield [path, inner];
  }
}

/** Returns the text of an overlay. */
export async function toOverlayText(actions: readonly OverlayAction[]): Promise<string> {
  const { stringify } = await import('yaml');
  const info = { title: 'Differences that calibrate found', version: '1.0.0' };
  return stringify({ overlay: '1.0.0', info, actions }, { lineWidth: 120 });
}

/** Returns the text of an overlay with further actions after its own. */
export async function addActions(overlay: string, actions: readonly OverlayAction[]): Promise<string> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(overlay);
  for (const action of actions) document.addIn(['actions'], document.createNode(action));
  return document.toString({ lineWidth: 120 });
}

/** Returns the path of an overlay as the profile names it. */
export function toOverlayPath(profile: string, overlay: string): string {
  return path
    .relative(path.dirname(path.resolve(profile)), path.resolve(overlay))
    .split(path.sep)
    .join('/');
}

/** Returns the overlays of a profile as a profile in another folder names them. */
export function moveOverlays(from: string | undefined, to: string, overlays: readonly string[]): readonly string[] {
  const folder = path.dirname(path.resolve(from ?? to));
  return overlays.map((overlay) => toOverlayPath(to, path.resolve(folder, overlay)));
}
