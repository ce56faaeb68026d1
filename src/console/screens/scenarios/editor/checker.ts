/** Checks a text with the sandbox's own parser while the user types, and keeps the latest result. */
import { toMessage } from '../../../data/client.ts';
import type { PageElement } from '../../../element.ts';
import { check } from '../data.ts';
import type { TextIssue } from './codemirror.ts';

/** Pause in typing after which the text is checked. */
const pauseMs = 200;

export interface Checker {
  /** Undefined until the current text is checked for the first time. */
  readonly issues: readonly TextIssue[] | undefined;
  /** Whether the issues belong to an earlier text. */
  readonly isChecking: boolean;
  /** Checks a text after a pause, unless it was checked already. */
  check(text: string): void;
}

export function createChecker(host: PageElement): Checker {
  let checkedText: string | undefined;
  let wantedText: string | undefined;
  let issues: readonly TextIssue[] | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  host.addController({ hostDisconnected: () => clearTimeout(timer) });

  async function run(text: string): Promise<void> {
    const found = await findIssues(text);
    if (text !== wantedText) return;
    checkedText = text;
    issues = found;
    host.requestUpdate();
  }

  return {
    get issues() {
      return issues;
    },
    get isChecking() {
      return checkedText !== wantedText;
    },
    check: (text) => {
      if (text === wantedText) return;
      const isFirst = wantedText === undefined;
      wantedText = text;
      clearTimeout(timer);
      timer = setTimeout(() => void run(text), isFirst ? 0 : pauseMs);
    },
  };
}

async function findIssues(text: string): Promise<readonly TextIssue[]> {
  try {
    const { errors, warnings } = await check(text);
    return [
      ...errors.map(({ line, column, message }) => ({ line, column, message, severity: 'error' }) as const),
      ...warnings.map(({ line, column, message }) => ({ line, column, message, severity: 'warning' }) as const),
    ];
  } catch (error) {
    return [{ line: 1, column: 1, message: `not checked: ${toMessage(error)}`, severity: 'warning' }];
  }
}
