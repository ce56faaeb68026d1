/** How the validators match the patterns of a document. */

type Test = (text: string) => boolean;

interface Expression {
  readonly test: Test;
  /** Ajv names an expression by its text. */
  toString(): string;
}

let compileOthers: ((pattern: string) => Test | undefined) | undefined;

/** Sets what compiles patterns that an overlay adds. It returns undefined for patterns of the API document itself. */
export function setPatternCompiler(compile: (pattern: string) => Test | undefined): void {
  compileOthers = compile;
}

/** Ajv's `code.regExp`; `code` is what Ajv would write into code for another process. */
export const toExpression: ((pattern: string, flags: string) => Expression) & { code: string } = Object.assign(
  (pattern: string, flags: string) => {
    const test = compileOthers?.(pattern);
    return test ? { test, toString: () => pattern } : new RegExp(pattern, flags);
  },
  { code: 'new RegExp' },
);
