/** Returns whether a manifest is valid; `errors` has the mistakes of the last call. */
export interface Validator {
  (manifest: unknown): boolean;
  readonly errors?: readonly object[] | null;
}

export const Deployment: Validator;
export const Namespace: Validator;
export const NetworkPolicy: Validator;
export const PodDisruptionBudget: Validator;
export const Service: Validator;
export const ServiceMonitor: Validator;
