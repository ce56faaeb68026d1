/** Writes the proposals as a profile and an overlay, to the files of `--write` and `--overlay`. */
import path from 'node:path';
import type { AppliedProfile } from '../../config/config-files.ts';
import type { Json } from '../../lib/json.ts';
import { readTextFile } from '../../lib/text-file.ts';
import { writeReport } from '../output/report-file.ts';
import type { Calibration } from './calibrate.ts';
import { isObject } from './exchange.ts';
import { mergePatch, type OverlayAction } from './settle/proposal.ts';

interface Targets {
  readonly profile?: string;
  readonly write?: string;
  readonly overlay?: string;
}

/** Says which files are not written, or which option is missing. */
export function toWriteNote({ write, overlay }: Targets, { differences, proposals, actions }: Calibration): string {
  const wanted = [write, overlay].filter((file) => file !== undefined);
  if (proposals.length === 0) {
    const reason = differences.length === 0 ? 'there are no differences' : 'no proposal settles the differences';
    return wanted.length > 0 ? `\nnot written: ${wanted.join(', ')} (${reason})\n` : '';
  }
  if (overlay !== undefined && actions.length === 0)
    return `\nnot written: ${overlay} (no proposal changes the API document)\n`;
  if (write !== undefined && overlay === undefined && actions.length > 0)
    return '\nnote: some proposals change the API document; write them by --overlay FILE\n';
  return '';
}

/**
 * Writes the profile, and the overlay if proposals change the document. An overlay that the profile already names keeps
 * its actions.
 * @returns why files could not be written
 */
export async function writeProposals(
  { profile, write, overlay }: Targets,
  { proposals, patch, actions }: Calibration,
  { profile: { overlays }, overlays: files = [] }: AppliedProfile,
): Promise<readonly string[]> {
  if (proposals.length === 0) return [];
  const folder = path.dirname(path.resolve(profile ?? write ?? ''));
  const written = overlay !== undefined && actions.length > 0 ? path.resolve(overlay) : undefined;
  const present = files.find(({ name }) => path.resolve(folder, name) === written);
  const mistakes: string[] = [];
  if (write !== undefined) {
    // An overlay of a profile in another folder keeps its place.
    const all = new Set([...overlays.map((name) => path.resolve(folder, name)), ...(written ? [written] : [])]);
    const named: Json = all.size > 0 ? { overlays: [...all].map((file) => toRelative(write, file)) } : {};
    mistakes.push(...(await writeReport('--write', write, await toProfileText(profile, mergePatch(patch, named)))));
  }
  if (written !== undefined)
    mistakes.push(...(await writeReport('--overlay', overlay, await toOverlayText(actions, present?.text))));
  return mistakes;
}

/** Returns the path of a file as a profile names it. */
function toRelative(profile: string, file: string): string {
  return path
    .relative(path.dirname(path.resolve(profile)), file)
    .split(path.sep)
    .join('/');
}

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
    const names = [...keys, key];
    if (isObject(inner) && Object.keys(inner).length > 0) yield* leavesOf(inner, names);
    else yield [names, inner];
  }
}

/** Returns the text of an overlay, or of `present` with further actions after its own. */
export async function toOverlayText(actions: readonly OverlayAction[], present?: string): Promise<string> {
  const { Document, parseDocument } = await import('yaml');
  const info = { title: 'Differences that calibrate found', version: '1.0.0' };
  const document =
    present === undefined ? new Document({ overlay: '1.0.0', info, actions: [] }) : parseDocument(present);
  for (const action of actions) document.addIn(['actions'], document.createNode(action));
  return document.toString({ lineWidth: 120 });
}
