/** The client of the control API, for the screens that are not written with Preact yet. */
export { ApiError, callApi, listAll, projectPath, type Schemas, toMessage } from '../api.ts';
