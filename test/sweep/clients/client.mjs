/** An integration with the API: some of its operations, and the failures that they report. */
import { send } from './send.mjs';

/** Reasons of an entry that is stored already. A job of a route names the route, whose own entry has the cause. */
const existsPattern = /exists already|^its route .* failed$/;

export function createClient({ url, apiKey, project }, rules) {
  const headers = { apikey: apiKey, 'content-type': 'application/json' };
  /** Failed entries by operation and id, so that a failure that is reported twice counts once. */
  const failures = new Map();
  /** Ids that an attempt without an answer may have created. */
  const uncertainIds = new Set();

  async function call(operation, method, path, body) {
    const onUncertain = () => {
      for (const id of idsIn(body)) uncertainIds.add(id);
    };
    const request = { operation, method, url: url + path.replace('{projectId}', project), headers, body, onUncertain };
    try {
      const result = await send(request, rules);
      for (const entry of rules.failedIn(result)) addFailure(operation, entry);
    } catch (error) {
      rules.onError(error);
    }
  }

  function addFailure(operation, { id, reason }) {
    const isOwnRecord = existsPattern.test(reason) && rules.isOwnRecord(uncertainIds.has(id));
    if (!isOwnRecord) failures.set(`${operation} ${id}`, { operation, id, reason });
  }

  return {
    failures: () => [...failures.values()],
    /** Processes a callback. */
    handle: (message) => {
      for (const entry of rules.failedInCallback(message)) addFailure(message.data.operation, entry);
    },
    registerUser: (user) => call('registerUser', 'POST', '/projects/{projectId}/users', user),
    importJobs: (jobs) => call('asyncImportJobs', 'POST', '/async/projects/{projectId}/jobs', { jobs }),
    updateJobs: (jobs) => call('asyncUpdateJobs', 'PATCH', '/async/projects/{projectId}/jobs', { jobs }),
    importRoutes: (routes) => call('asyncImportRoutes', 'POST', '/async/projects/{projectId}/routes', { routes }),
    importOrders: (orders) => call('asyncImportOrders', 'POST', '/async/projects/{projectId}/orders', { orders }),
    updateOrder: (id, order) => call('asyncUpdateOrder', 'PATCH', `/async/projects/{projectId}/orders/${id}`, order),
    createJob: (job) => call('syncCreateJob', 'POST', '/sync/projects/{projectId}/jobs', job),
    updateJob: (job) => call('syncUpdateJob', 'PATCH', '/sync/projects/{projectId}/jobs', job),
    submitLocation: (location) => call('submitLocation', 'POST', '/projects/{projectId}/locations', location),
    submitLocations: (locations) =>
      call('submitLocations', 'POST', '/projects/{projectId}/locations/batch', { locations }),
  };
}

/** Returns the ids in a body, at any depth. */
function idsIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  return [value.id, ...Object.values(value).flatMap(idsIn)].filter((id) => id !== undefined);
}
