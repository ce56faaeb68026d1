/** Clients with one weakness each: the rules that differ from the robust ones, and cases of a sweep that find it. */

/**
 * `rules`: overrides of the robust rules. `cases`: by case of a sweep, the verdict.
 * `isThorough`: the suite checks callbacks and stored records; without that, only the client's own reports.
 */
export const weaknesses = {
  'ignores-status': {
    about: 'takes every response as a success, whatever its status',
    rules: { isSuccess: () => true },
    cases: {
      'asyncImportRoutes/status-500/1': 'unnoticed',
      'asyncImportRoutes/status-400/1': 'unnoticed',
      'submitLocations/status-503/1': 'unnoticed',
    },
  },
  'ignores-failed': {
    about: 'does not read `failed` in results, so a rejected entry is lost',
    rules: { failedIn: () => [] },
    cases: { 'asyncImportRoutes/refused/1': 'unnoticed', 'asyncImportOrders/refused/1': 'unnoticed' },
  },
  'ignores-callbacks': {
    about: 'acknowledges callbacks and does not read them',
    rules: { failedInCallback: () => [] },
    cases: { 'asyncImportRoutes/failed-downstream/1': 'unnoticed' },
  },
  'trusts-broken-bodies': {
    about: 'takes a response with a broken body as a success',
    rules: { readResult: (response) => response.json().catch(() => ({})) },
    cases: { 'asyncImportRoutes/connection-truncate/1': 'unnoticed' },
  },
  'only-logs': {
    about: 'logs errors and goes on',
    rules: { onError: (error) => console.error(error.message) },
    cases: { 'asyncImportRoutes/status-400/1': 'logged' },
  },
  'no-timeout': {
    about: 'waits for a response without end',
    rules: { timeoutMs: () => 2 ** 31 - 1 },
    cases: { 'asyncImportJobs/connection-hang/1': 'hung', 'syncCreateJob/connection-hang-processed/1': 'hung' },
  },
  'retries-without-limit': {
    about: 'retries until it succeeds',
    rules: { maxAttempts: Number.POSITIVE_INFINITY, backoffMs: () => 20 },
    cases: { 'asyncImportRoutes/status-500/always': 'storm', 'syncUpdateJob/connection-reset/always': 'storm' },
  },
  'ignores-retry-after': {
    about: 'retries at once, although the response said when',
    rules: { heededMs: () => 0 },
    cases: {
      'asyncImportJobs/status-503/1': 'impatient',
      'syncCreateJob/status-429/1': 'impatient',
      'submitLocation/status-429/always': 'impatient',
      'asyncImportJobs/limit/1': 'failed',
    },
  },
  'retries-with-new-ids': {
    about: 'sends a retry under new ids, so that the API cannot recognise it',
    rules: {
      toRetry: (body) => JSON.parse(JSON.stringify(body).replaceAll(/"id":"(?!FAIL)([^"]+)"/g, '"id":"$1-AGAIN"')),
    },
    cases: {
      'asyncImportRoutes/status-504-processed/1': 'duplicated',
      'syncCreateJob/connection-close-processed/1': 'duplicated',
    },
  },
  'no-retry': {
    about: 'gives up after the first attempt',
    rules: { maxAttempts: 1 },
    cases: {
      'asyncImportJobs/status-503/1': 'failed',
      'asyncImportRoutes/connection-reset/1': 'failed',
      'syncCreateJob/status-429/1': 'failed',
    },
  },
  'conflict-as-failure': {
    about: 'takes "it exists already" after a retry as a failure, though its own first attempt created the record',
    rules: { isOwnRecord: () => false },
    cases: {
      'syncCreateJob/status-504-processed/1': 'failed',
      'registerUser/connection-close-processed/1': 'failed',
      'asyncImportRoutes/status-504-processed/1': 'failed',
    },
  },
  'no-deduplication': {
    about: 'processes each copy of a callback',
    rules: { isNew: () => true },
    isThorough: true,
    cases: { 'asyncImportJobs/callback-copies/1': 'failed', 'asyncImportOrders/callback-copies/1': 'failed' },
  },
  'accepts-unsigned': {
    about: 'does not verify the signature of callbacks',
    rules: { isSigned: () => true },
    cases: {
      'asyncImportJobs/callback-signature-invalid/1': 'accepted-forgery',
      'asyncImportJobs/callback-signature-missing/1': 'accepted-forgery',
      'asyncUpdateJobs/callback-signature-stale/1': 'accepted-forgery',
    },
  },
  'acknowledges-before-storing': {
    about: 'acknowledges a callback before it has parsed and stored it',
    rules: { acknowledgesFirst: true },
    isThorough: true,
    cases: { 'asyncImportJobs/callback-body-malformed/1': 'accepted-forgery' },
  },
  none: {
    about: 'no weakness: the robust client in a suite that checks only what the client reports',
    rules: {},
    cases: {},
  },
};
