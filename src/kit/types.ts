/** The nouns of the control API as the kit's users read them: types alone, made from the generated ones. */
import type { CallbackMessage as Message } from '../callbacks/callback.ts';
import type { components } from '../contract/control.gen.ts';
import type { Scenario as ScenarioFile } from '../scenarios/types.ts';

type Schemas = components['schemas'];

/** A job as stored, with all that the API gives it. */
export type Job = Schemas['JobRecord'];
/** An order as stored. */
export type Order = Schemas['OrderRecord'];
/** A route as stored. */
export type Route = Schemas['RouteRecord'];
/** A user as stored; passwords are not. */
export type User = Schemas['UserRecord'];
/** A device and its latest location. */
export type DeviceLocation = Schemas['LocationRecord'];
/** A device with its latest location, and in `items` everywhere it has been, the earliest first. */
export type Trail = Schemas['Trail'];
/** One request to the API as the journal has it: what came, what was answered, and why. */
export type JournalRequest = Schemas['RequestSummary'];
/** The body of a callback. */
export type CallbackMessage = Message;
/** One message about failures downstream, with every attempt to deliver it. */
export type Callback = Omit<Schemas['Callback'], 'body'> & { readonly body: CallbackMessage };
/** What failed downstream, such as `jobs.import.failed`. */
export type CallbackType = Schemas['CallbackType'];
/** `scheduled`, `delivered`, `failed`, `inbox` or `dropped`. */
export type CallbackState = Schemas['CallbackState'];
/** Where a project's callbacks go. */
export type CallbackEndpoint = Schemas['CallbackEndpoint'];
/** A project's clock. */
export type ClockState = Schemas['Clock'];
/** What came of advancing a clock. */
export type AdvanceResult = Schemas['AdvanceResult'];
/** The scenarios in force, and how often each of their rules acted. */
export type ActiveScenarios = Schemas['ActiveScenarios'];
/** What a reset cancelled. */
export type ResetResult = Schemas['ResetResult'];
/** All records of a project at one moment. */
export type Snapshot = Schemas['Snapshot'];
/** What a restore put back, and what it cancelled. */
export type RestoreResult = Schemas['RestoreResult'];
/** One mistake: a place (`/scenarios/0/rules/1`, `query:status`) and what was expected there. */
export type Mistake = Schemas['Violation'];
/** A scenario written out; what a scenario file says. */
export type Scenario = ScenarioFile;
/** A number and `ms`, `s`, `m`, `h` or `d`, such as `200ms`; or a number of milliseconds. */
export type Duration = string | number;
