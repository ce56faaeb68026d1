/** Typical faults of receivers, and the checks that must find them. */
import { answerFaults } from './answer-faults.ts';
import { bodyFaults } from './body-faults.ts';
import type { Fault } from './fault.ts';
import { repeatFaults } from './repeat-faults.ts';
import { signatureFaults } from './signature-faults.ts';
import { unknownFaults } from './unknown-faults.ts';

export const faults: Readonly<Record<string, Fault>> = {
  ...answerFaults,
  ...signatureFaults,
  ...unknownFaults,
  ...repeatFaults,
  ...bodyFaults,
};
