/** The mistakes and warnings of a text, as a list of fixed height below it. */
import { html, type TemplateResult } from 'lit';
import { counted } from '../../../parts/counted.ts';
import type { Checker } from './checker.ts';
import type { TextIssue } from './codemirror.ts';

/** `refusal`: what the sandbox refused because of them, such as `Not saved`; or an empty text. */
export function renderIssues({ issues }: Checker, refusal: string, show: (issue: TextIssue) => void): TemplateResult {
  const errors = issues?.filter(({ severity }) => severity === 'error').length ?? 0;
  const warnings = (issues?.length ?? 0) - errors;
  const parts = [
    ...(errors > 0 ? [counted(errors, 'mistake')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  const found = [...(refusal === '' ? [] : [`${refusal}:`]), parts.join(', ')].join(' ');
  const state = issues === undefined ? 'Checking…' : parts.length === 0 ? 'No mistakes' : found;
  return html`
    <div class="issues ${errors > 0 ? 'bad' : warnings > 0 ? 'warn' : ''}">
      <p role="status">${state}</p>
      <ul aria-label="Mistakes and warnings">
        ${issues?.map(
          (issue) => html`
            <li>
              <button type="button" class="plain" @click=${() => show(issue)}>
                <span class="place mono">${issue.line}:${issue.column}</span><span class="unseen"> </span>
                <span class=${issue.severity === 'error' ? 'bad' : 'warn'}>${issue.message}</span>
              </button>
            </li>
          `,
        )}
      </ul>
    </div>
  `;
}
