/** Errors of a store that other servers share. They end requests here; `Dispatch` sends them where they can succeed. */

/** The project now belongs to another server: what was done here since the last write had no effect. */
export class ProjectLost extends Error {
  constructor(project: string) {
    super(`another server has taken over the project ${JSON.stringify(project)}`);
  }
}

/** The project was lost, and it is not known whether the last write was made before. */
export class MayBeApplied extends ProjectLost {}

/** The database could not be reached in time. It is not known whether the last write was made. */
export class StoreUnavailable extends Error {}

/** Returns the error of a store that an error is, or that it names as its cause. */
export function toStoreError(error: unknown): ProjectLost | StoreUnavailable | undefined {
  for (const one of [error, error instanceof Error ? error.cause : undefined])
    if (one instanceof ProjectLost || one instanceof StoreUnavailable) return one;
  return undefined;
}
