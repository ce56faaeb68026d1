/** Mistakes in what a user gave: options, and the files that they name. */
export class ConfigError extends Error {
  /** One message for each mistake. */
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}
