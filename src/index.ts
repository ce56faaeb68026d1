/** What the package gives to tests written in Node: a sandbox, its projects, a receiver of callbacks. */

export {
  type AnswerChoice,
  type CallbackAnswer,
  type CallbackReceiver,
  createCallbackReceiver,
  type ReceiverOptions,
} from './kit/callback-receiver.ts';
export type {
  CallbackFilter,
  CallbackList,
  RecordFilter,
  RecordList,
  RequestFilter,
  RequestList,
} from './kit/lists.ts';
export type { Project } from './kit/project.ts';
export type { ProjectClock } from './kit/project-clock.ts';
export type { ReceivedCallback, ReceivedFilter } from './kit/received-callback.ts';
export type { SandboxError } from './kit/sandbox-error.ts';
export type { SandboxOptions } from './kit/sandbox-options.ts';
export { type Sandbox, startSandbox } from './kit/start-sandbox.ts';
export type {
  ActiveScenarios,
  AdvanceResult,
  Callback,
  CallbackEndpoint,
  CallbackMessage,
  CallbackState,
  CallbackType,
  ClockState,
  DeviceLocation,
  Duration,
  Job,
  JournalRequest,
  Mistake,
  Order,
  ResetResult,
  RestoreResult,
  Route,
  Scenario,
  Snapshot,
  Trail,
  User,
} from './kit/types.ts';
export type { Wait } from './kit/waiting.ts';
