/** Names the types of the control API for users of the test kit. */
import type { CallbackMessage as Message } from '../callbacks/callback.ts';
import type { components as ApiComponents, operations } from '../openapi/api.gen.ts';
import type { components } from '../openapi/control.gen.ts';
import type { Scenario as ScenarioFile } from '../scenarios/types.ts';

type Schemas = components['schemas'];
type ApiSchemas = ApiComponents['schemas'];

/** Fields that the sandbox adds to every record. */
interface Dates {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A stored job, with the fields that the API adds. */
export type JobView = Omit<ApiSchemas['JobCreate'], 'status'> &
  Pick<ApiSchemas['JobUpdate'], 'proofOfDelivery'> &
  Dates & {
    status?: ApiSchemas['SingleJobCreateStatus'];
    /** The route that the job was imported with. */
    routeId?: string;
  };
/** A stored order. */
export type Order = ApiSchemas['OrderImport'] & Pick<ApiSchemas['OrderUpdate'], 'address'> & Dates;
/** A stored route. */
export type Route = Omit<ApiSchemas['Route'], 'jobs'> &
  Dates & {
    /** Ids of the accepted jobs. */
    jobs: string[];
    subProjectId?: string;
  };

type UpdatedUser = ApiSchemas['UserUpdate'];
type UpdatedUserFields = 'locationIds' | 'visibleBy' | 'access';

/** A stored user; passwords are not stored. Fields of an update may have another form than those of a registration. */
export type User = Omit<ApiSchemas['AttendantRegistration'], 'password' | 'projectId' | 'type' | UpdatedUserFields> &
  Dates & {
    [Name in UpdatedUserFields]?: ApiSchemas['StringOrStrings'] | NonNullable<UpdatedUser[Name]>;
  } & {
    type: ApiSchemas['UserType'];
    /** When the password was set. */
    passwordChangedAt?: string;
  };

type SentLocation = ApiSchemas['DeviceLocation'];

/** A device with its latest location. */
export type DeviceLocation = SentLocation & Dates;
/** A device with its latest location; `items` lists all its locations, earliest first. */
export type Trail = DeviceLocation & {
  items: SentLocation[];
  /** Cursor of the next page; absent on the last page. */
  next?: string;
};
/** A request to the API as recorded in the journal: the request, its response, and the reasons for the response. */
export type JournalRequest = Schemas['RequestSummary'];
/** Id of an operation in the API's document, such as `asyncImportJobs`. */
export type OperationName = Exclude<keyof operations, 'downstreamFailed'>;
/** The body of a callback. Those of type `….completed` have `data.succeeded` in place of `data.failed`. */
export type CallbackMessageView = Omit<Message, 'extra'>;
/** A callback that reports downstream failures, with every attempt to deliver it. */
export type CallbackView = Omit<Schemas['Callback'], 'body'> & { readonly body: CallbackMessageView };
/** Type of a callback, such as `jobs.import.failed`. */
export type CallbackTypeName = Schemas['CallbackType'];
/** State of a callback: `scheduled`, `delivered`, `failed`, `inbox` or `dropped`. */
export type CallbackStateName = Schemas['CallbackState'];
/** Where a project's callbacks are sent. */
export type CallbackEndpoint = Schemas['CallbackEndpoint'];
/** A project's clock: its mode, its rate unless it is frozen, its time and the pending work. */
export type ClockView = Schemas['Clock'];
/** Result of advancing a clock. */
export type AdvanceView = Schemas['AdvanceResult'];
/** The active scenarios, and how often each of their rules fired. */
export type ActiveScenarios = Schemas['ActiveScenarios'];
/** An expectation of a scenario: whether it is met, and why. */
export type ExpectationView = Schemas['ExpectationVerdict'];
/** Result of a reset: the work that it cancelled. */
export type ResetResult = Schemas['ResetResult'];
/** A record of a snapshot; one that is written by hand needs only its id. */
type SnapshotOf<Stored, Id extends keyof Stored> = Pick<Stored, Id> & Partial<Stored>;

/** All records of a project at one moment. */
export type SnapshotView = Pick<Schemas['Snapshot'], 'version'> & {
  jobs: SnapshotOf<JobView, 'id'>[];
  orders: SnapshotOf<Order, 'id'>[];
  routes: SnapshotOf<Route, 'id'>[];
  users: SnapshotOf<User, 'username'>[];
  /** Devices with their latest location; `trail` lists all their locations. */
  locations: (SnapshotOf<DeviceLocation, 'deviceId'> & { trail?: SentLocation[] })[];
};
/** Everything that has changed a project, with what a replay needs: `field-sandbox replay` plays it as a file. */
export type RecordingView = Schemas['Recording'];
/** Result of a restore: the records that it restored, and the work that it cancelled. */
export type RestoreResult = Schemas['RestoreResult'];
/** One mistake: its place (`/scenarios/0/rules/1`, `query:status`), and the value expected there. */
export type Mistake = Schemas['Violation'];
/** A scenario as an object, with the content of a scenario file. */
export type ScenarioInput = ScenarioFile;
/** A number with the unit `ms`, `s`, `m`, `h` or `d`, such as `200ms`; or a number of milliseconds. */
export type Duration = string | number;
