/** Writes the proposals as a profile and an overlay, to the files of `--write` and `--overlay`. */
import path from 'node:path';
import type { Scalar } from 'yaml';
import type { AppliedProfile } from '../../config/config-files.ts';
import { readTextFile } from '../../lib/text-file.ts';
import { writeReport } from '../output/report-file.ts';
import type { Calibration } from './calibrate.ts';
import { type OverlayAction, type ProfileSetting, toActions, toSettings } from './propose.ts';

interface Targets {
  readonly profile?: string;
  readonly write?: string;
  readonly overlay?: string;
}

/** Says which files are not written, or which option is missing. */
export function toWriteNote({ write, overlay }: Targets, { before, proposals }: Calibration): string {
  const wanted = [write, overlay].filter((file) => file !== undefined);
  const hasActions = toActions(proposals).length > 0;
  if (proposals.length === 0 && wanted.length > 0) {
    const reason = before.findings.length === 0 ? 'there are no differences' : 'no proposal settles the differences';
    return `not written: ${wanted.join(', ')} (${reason})\n`;
  }
  if (overlay !== undefined && proposals.length > 0 && !hasActions)
    return `not written: ${overlay} (no proposal changes the API document)\n`;
  if (write !== undefined && overlay === undefined && hasActions)
    return 'note: some proposals change the API document; write them by --overlay FILE\n';
  return '';
}

/**
 * Writes the profile, and the overlay if proposals change the document. An overlay that the profile already names keeps
 * its actions.
 * @returns why files could not be written
 */
export async function writeProposals(
  { profile, write, overlay }: Targets,
  { proposals }: Calibration,
  { profile: { overlays }, overlays: files = [] }: AppliedProfile,
): Promise<readonly string[]> {
  if (proposals.length === 0) return [];
  const actions = toActions(proposals);
  const folder = path.dirname(path.resolve(profile ?? write ?? ''));
  const written = overlay !== undefined && actions.length > 0 ? path.resolve(overlay) : undefined;
  const present = files.find(({ name }) => path.resolve(folder, name) === written);
  const mistakes: string[] = [];
  if (write !== undefined) {
    // An overlay of a profile in another folder keeps its place.
    const all = new Set([...overlays.map((name) => path.resolve(folder, name)), ...(written ? [written] : [])]);
    const value = [...all].map((file) => toRelative(write, file));
    const settings = [...toSettings(proposals), ...(all.size > 0 ? [{ keys: ['overlays'], value }] : [])];
    mistakes.push(...(await writeReport('--write', write, await toProfileText(profile, settings))));
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

/** Returns the text of a profile with further settings, and with the comments of the profile in question. */
export async function toProfileText(file: string | undefined, settings: readonly ProfileSetting[]): Promise<string> {
  const { Document, isMap, parseDocument, visit } = await import('yaml');
  const read = file === undefined ? undefined : await readTextFile(file);
  const given = read && 'text' in read ? parseDocument(read.text) : undefined;
  const document = given && isMap(given.contents) ? given : new Document({});
  // A setting at an alias, or at its anchor, is meant for one of the places.
  visit(document, {
    Alias: (_key, alias) => {
      const copy = alias.resolve(document)?.clone() as Scalar | undefined;
      delete copy?.anchor;
      return copy;
    },
  });
  if (document !== given) document.commentBefore = ' Written by field-sandbox calibrate.';
  for (const { keys, value } of settings) document.setIn(keys, document.createNode(value));
  return document.toString({ lineWidth: 120, flowCollectionPadding: true });
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
