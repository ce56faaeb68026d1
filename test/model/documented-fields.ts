/**
 * The fields of the API's own tables, copied by hand, so that the document can be held against them. `!` marks what is
 * required. A list is its item in brackets; `timestamp` is a string with an offset; `position` a pair of longitude and
 * latitude; `free` an object of any fields; `identifier` a string that is not empty. An empty `subproject`, a `language`
 * that is not a code of ISO 639-1, and a date alone for `date or timestamp` cause a warning.
 */

/** What a field may hold: a word, a set of values, a list, or an object's fields. */
export type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };
type Fields = Readonly<Record<string, Shape>>;

const texts = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, 'string']));

/** Fields without some of them. */
const without = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Fields of which some are required. */
const requiring = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, shape]) => [names.includes(name) ? `${name}!` : name, shape]));

const oneOf = (...values: readonly string[]): string => values.join(' | ');

const geoJson: Fields = { type: 'Point', coordinates: 'position' };
const address: Fields = {
  ...texts('country', 'countryCode', 'locality', 'postcode', 'region', 'streetAddress', 'subStreetAddress'),
  geoJson,
};
const customer = texts('email', 'firstName', 'id', 'lastName', 'phone', 'title');
const nominee = texts('email', 'firstName', 'lastName', 'phone', 'title');
const driver = texts('deviceId', 'employeeId', 'firstName', 'lastName', 'phone');
const media: Fields = { ...texts('identifier', 'mimetype', 'uri'), attributes: [texts('key', 'value')] };
const item = (identifier: string): Fields => ({
  attributes: 'free',
  [identifier]: 'string',
  price: 'number',
  quantity: 'integer',
  ...texts('status', 'stockCode', 'stockName'),
  subItems: [{ attributes: 'free', id: 'string' }],
});
const channels: Shape = [oneOf('email', 'sms', 'voiceCall', 'push', 'whatsapp', 'rcs')];

const scheduleStatuses = oneOf(
  'CUSTOMER_PENDING',
  'CANCELLED_PENDING',
  'CONFIRMED',
  'RESCHEDULED',
  'SCHEDULED',
  'UNSCHEDULED',
);
const jobStatuses = [
  'PENDING',
  'PENDING_PICKED',
  'PENDING_PACKED',
  'DISPATCH',
  'ARRIVING',
  'CANCELLED',
  'DELIVERED',
  'UNDELIVERED',
];
const orderStatuses = oneOf(
  ...['PENDING', 'PENDING_PICKED', 'PENDING_PACKED', 'READY', 'CANCELLED', 'COMPLETE'],
  ...['FAILEDCOMPLETE', 'DISPATCH', 'ARRIVING'],
);

/** What every variant of a job has. */
const job: Fields = {
  address,
  attributes: 'free',
  ...texts('branchId', 'cancelledAdditionalInfo', 'cancelledReasonCode', 'deliveryType', 'fulfiller'),
  id: 'identifier',
  langCode: 'language',
  commsChannels: channels,
  commsOptOut: 'boolean',
  customer,
  customerInstructions: ['string'],
  deliveryDate: 'date or timestamp',
  driver: { ...driver, '(or null)': 'null' },
  isPriority: 'boolean',
  jobItems: [item('jobItemId')],
  media: [media],
  nominees: [nominee],
  plannedEta: 'string',
  plannedEtaWindow: texts('etaFrom', 'etaTo'),
  scheduleStatus: scheduleStatuses,
  ...texts('secondaryReference', 'stopId'),
  subProjectId: 'subproject',
  sequence: 'integer',
  status: oneOf(...jobStatuses),
  tags: ['string'],
  waitTime: 'integer',
};
const created: Fields = { ...job, trackingId: 'string' };
const updated: Fields = { ...job, proofOfDelivery: ['free'] };

/** What every variant of an order has; `subProjectId` by the rule that it overrides the URL's. */
const order: Fields = {
  attributes: 'free',
  availFrom: 'date or timestamp',
  availTo: 'date or timestamp',
  ...texts('cancelledAdditionalInfo', 'cancelledReasonCode', 'collectionPoint', 'fulfiller'),
  id: 'identifier',
  langCode: 'language',
  commsChannels: channels,
  commsOptOut: 'boolean',
  customer,
  customerInstructions: ['string'],
  isPriority: 'boolean',
  media: [media],
  nominees: [nominee],
  orderItems: [item('orderItemId')],
  returnCustomer: 'boolean',
  scheduledDate: 'date or timestamp',
  ...texts('secondaryReference', 'storeId', 'trackId'),
  subProjectId: 'subproject',
  status: orderStatuses,
  tags: ['string'],
  user: texts('firstName', 'id', 'lastName', 'phone'),
};

const user: Fields = {
  username: 'identifier',
  ...texts('projectId', 'firstName', 'lastName', 'phoneNumber', 'email', 'moduleDeviceId', 'desc'),
  ...texts('avatarUrl', 'prefBranchId'),
  password: 'password',
  tags: ['string'],
  groups: ['string'],
  accessTags: ['string'],
};
const roles = oneOf(
  ...['delivery:admin', 'delivery:driver', 'delivery:operator', 'cnc:admin', 'cnc:attendant', 'cnc:operator'],
  ...['realtime:driver', 'media:driver', 'preference:attendant', 'preference:operator', 'realtime:operator'],
  ...['super-admin', 'user:server', 'inventory:admin', 'inventory:supervisor', 'inventory:operator'],
  ...['site:admin', 'site:operator'],
);
const locations: Fields = { siteId: ['string'], storeCode: ['string'] };

const location: Fields = {
  'deviceId!': 'identifier',
  'eventDateTime!': 'timestamp',
  'geoJson!': requiring(geoJson, 'type', 'coordinates'),
};

const routes: Fields = {
  'routes!': [
    {
      'id!': 'identifier',
      driver,
      routeDate: 'date or timestamp',
      jobs: [requiring(without(created, 'deliveryDate', 'driver'), 'id')],
    },
  ],
};
const creates: Fields = { 'jobs!': [requiring(created, 'id')] };
const updates: Fields = { 'jobs!': [requiring(updated, 'id')] };
const orders: Fields = { 'orders!': [requiring(order, 'id')] };
const updatedOrder = requiring({ ...order, address }, 'status');
const updatedJob = requiring(updated, 'status');
const updatedJobById = requiring(updated, 'id', 'status');
const createdJob = requiring({ ...created, status: oneOf(...jobStatuses, 'READY') }, 'address', 'id', 'status');

/** The body of every operation. */
export const bodies: Readonly<Record<string, Fields>> = {
  registerUser: requiring(
    {
      ...user,
      roles: ['string'],
      type: oneOf('user', 'attendant', 'driver'),
      locationIds: 'string or strings',
      visibleBy: 'string or strings',
      access: 'string or strings',
    },
    'username',
    'password',
  ),
  updateUser: { ...user, roles: [roles], locationIds: locations, visibleBy: locations, access: ['string'] },
  asyncImportJobs: creates,
  asyncUpdateJobs: updates,
  asyncUpdateJob: updatedJob,
  asyncImportRoutes: routes,
  asyncImportJobsInSubproject: creates,
  asyncUpdateJobsInSubproject: updates,
  asyncUpdateJobInSubproject: updatedJob,
  asyncImportRoutesInSubproject: routes,
  syncCreateJobs: creates,
  syncUpdateJobs: updates,
  syncCreateRoutes: routes,
  syncCreateJob: createdJob,
  syncUpdateJob: updatedJobById,
  // The table gives its entries the fields of an update, although it creates.
  syncCreateJobsInSubproject: updates,
  syncCreateRoutesInSubproject: routes,
  syncCreateJobInSubproject: createdJob,
  syncUpdateJobInSubproject: updatedJobById,
  asyncImportOrders: orders,
  asyncUpdateOrder: updatedOrder,
  asyncImportOrdersInSubproject: orders,
  asyncUpdateOrderInSubproject: updatedOrder,
  syncImportOrders: orders,
  syncUpdateOrder: updatedOrder,
  syncImportOrdersInSubproject: orders,
  syncUpdateOrderInSubproject: updatedOrder,
  submitLocation: location,
  submitLocations: { 'locations!': [location] },
};

const accepted = requiring(texts('orderNumber', 'subProjectId', 'trackingId'), 'orderNumber');
const failed: Shape = [requiring(texts('id', 'reason'), 'id', 'reason')];

/** The successes of all operations. */
export const results: Readonly<Record<'jobs' | 'orders' | 'message' | 'empty', Fields>> = {
  jobs: { 'failed!': failed, 'jobs!': [accepted], 'jobsReceived!': 'integer' },
  orders: { 'failed!': failed, 'orders!': [accepted], 'ordersReceived!': 'integer' },
  message: { 'message!': 'string' },
  empty: {},
};
