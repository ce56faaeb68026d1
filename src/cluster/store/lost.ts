/** The project now belongs to another replica: what was done here since the last write had no effect. */
export class ProjectLost extends Error {
  constructor(project: string) {
    super(`another replica has taken over the project ${JSON.stringify(project)}`);
  }
}
