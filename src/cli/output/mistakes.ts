/** Prints the mistakes in a command's arguments and files. */

/** Prints each mistake on a line. @returns 2, the exit code for invalid input */
export function printMistakes(mistakes: readonly string[], printError: (text: string) => void): number {
  printError(mistakes.map((mistake) => `${mistake}\n`).join(''));
  return 2;
}
