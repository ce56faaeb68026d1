/** Writes the proposals to the files of `--write` and `--overlay`. */
import path from 'node:path';
import type { AppliedProfile } from '../../config/config-files.ts';
import type { Json } from '../../lib/json.ts';
import { writeReport } from '../output/report-file.ts';
import type { Calibration } from './calibrate.ts';
import { mergePatch } from './settle/proposal.ts';
import { addActions, moveOverlays, toOverlayPath, toOverlayText, toProfileText } from './write.ts';

interface Targets {
  readonly profile?: string;
  readonly write?: string;
  readonly overlay?: string;
}

/** Tells which files are not written, or which option is missing. */
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
  const folder = path.dirname(path.resolve(profile ?? ''));
  const hasOverlay = overlay !== undefined && actions.length > 0;
  const present = hasOverlay
    ? files.find(({ name }) => path.resolve(folder, name) === path.resolve(overlay))
    : undefined;
  const text = present ? addActions(present.text, actions) : toOverlayText(actions);
  return [
    ...(write === undefined ? [] : await writeReport('--write', write, await toText(write))),
    ...(hasOverlay ? await writeReport('--overlay', overlay, await text) : []),
  ];

  async function toText(to: string): Promise<string> {
    const own = moveOverlays(profile, to, overlays);
    const all = hasOverlay && !present ? [...own, toOverlayPath(to, overlay)] : own;
    const named: Json = all.length > 0 ? { overlays: all } : {};
    return toProfileText(profile, mergePatch(patch, named));
  }
}
