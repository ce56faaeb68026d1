/** What happens in a simulated history: what clients ask, and what goes wrong. Drawn by fast-check, so that it shrinks. */
import fc from 'fast-check';

/** `job`, `point` and `update` change records; `failing` and `import` are carried out later, the first with a callback. */
export type RequestKind = 'job' | 'point' | 'update' | 'failing' | 'import' | 'read' | 'reset';

export interface PlannedRequest {
  readonly client: number;
  readonly kind: RequestKind;
  readonly project: number;
  /** Pause of the client before it, in milliseconds. */
  readonly pauseMs: number;
}

export type FaultKind =
  | 'kill'
  | 'pause'
  | 'terminate'
  | 'fence'
  | 'want'
  | 'cut from database'
  | 'cut from replica'
  | 'restart database';

export interface PlannedFault {
  /** Number of the step before which it happens, so that it can hit every await. */
  readonly step: number;
  readonly kind: FaultKind;
  /** The replica, and the other one of a cut connection; for `fence` and `want`, the project whose owner is meant. */
  readonly target: number;
  readonly other: number;
  /** Duration, or the time until a replica starts again, in milliseconds. */
  readonly ms: number;
}

export interface Plan {
  /** Decides how long each step takes. */
  readonly seed: number;
  readonly replicas: number;
  readonly lostAnswers: number;
  readonly requests: readonly PlannedRequest[];
  readonly faults: readonly PlannedFault[];
}

/** Projects `p0` and `p1`, and the one that is reset. */
export const projects: readonly string[] = ['p0', 'p1', 'reset'];

const requestKinds: readonly RequestKind[] = ['job', 'point', 'update', 'failing', 'import', 'read', 'read'];

const request: fc.Arbitrary<PlannedRequest> = fc
  .record({
    client: fc.nat({ max: 3 }),
    kind: fc.constantFrom(...requestKinds),
    project: fc.constantFrom(0, 0, 0, 1, 1, 2),
    // A lease ends while a client makes a long pause.
    pauseMs: fc.oneof(fc.constant(0), ...[50, 50, 1500, 9000].map((max) => fc.nat({ max }))),
  })
  .map((one) => (one.project === 2 && one.kind === 'update' ? { ...one, kind: 'reset' } : one));

const faultKinds: readonly FaultKind[] = [
  'kill',
  'pause',
  'terminate',
  'fence',
  'want',
  'cut from database',
  'cut from replica',
  'restart database',
];

const fault: fc.Arbitrary<PlannedFault> = fc.record({
  step: fc.nat({ max: 900 }),
  kind: fc.constantFrom(...faultKinds),
  target: fc.nat({ max: 2 }),
  other: fc.nat({ max: 1 }),
  ms: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1000, max: 15_000 })),
});

export const plans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.nat(),
  replicas: fc.constantFrom(2, 3),
  lostAnswers: fc.constantFrom(0, 0, 0.01, 0.05),
  requests: fc.array(request, { minLength: 4, maxLength: 30, size: 'max' }),
  faults: fc.array(fault, { maxLength: 5, size: 'max' }),
});
