/** Applies overlay files to a document, and reports all mistakes at once. */
import { formatIssue, type Issue, locateValues } from '../../../diagnostics/yaml-file.ts';
import type { ApiDocument } from '../../api-document.ts';
import { applyAction } from './apply-action.ts';
import { createDocumentCheck } from './check-document.ts';
import { useLinearPatterns } from './linear-pattern.ts';
import { type Overlay, parseOverlay } from './overlay-file.ts';

/** An overlay file, by the name that the profile has for it. */
export interface OverlayFile {
  readonly name: string;
  readonly text: string;
}

/** A document with all overlays applied, except the actions with mistakes. */
export interface Overlaid {
  readonly document: ApiDocument;
  readonly mistakes: readonly string[];
}

/** Returns a copy of the document with the overlays applied, in their order. */
export function applyOverlays(source: ApiDocument, files: readonly OverlayFile[]): Overlaid {
  const mistakes: string[] = [];
  let document = source;
  const check = createDocumentCheck(source);
  useLinearPatterns(source);
  for (const { name, text } of files) {
    const parsed = parseOverlay(text, name);
    let issues: readonly Issue[] = [];
    if (parsed.ok) {
      const applied = applyActions(document, parsed.value, check);
      issues = locateValues(text, name, applied.findings);
      ({ document } = applied);
    } else ({ issues } = parsed);
    mistakes.push(...issues.map((issue) => formatIssue(issue, text)));
  }
  return { document, mistakes };
}

interface Finding {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Applies the actions one by one. An action with a mistake changes nothing, so that the next ones can be checked. */
function applyActions(
  before: ApiDocument,
  { actions }: Overlay,
  check: (document: ApiDocument) => string | undefined,
): { readonly document: ApiDocument; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  let document = before;
  for (const [index, action] of actions.entries()) {
    const changed = structuredClone(document);
    const mistake = applyAction(changed, action);
    const broken = mistake ? undefined : check(changed);
    if (mistake) findings.push({ path: ['actions', index, mistake.key], message: mistake.message });
    else if (broken !== undefined) {
      findings.push({ path: ['actions', index, 'target'], message: `this action ${broken}` });
    } else document = changed;
  }
  return { document, findings };
}
