/** Exports the test kit for Node: starts a sandbox, controls its projects, receives callbacks. */

export { failureCases } from './test-kit/failures/failure-cases.ts';
export type { FailureBody } from './test-kit/failures/for-each-failure.ts';
export type {
  FailureFilter,
  FailureOptions,
  SurvivedFailure,
  TestFailure as FailureCase,
} from './test-kit/failures/types.ts';
export type {
  CallbackFilter,
  CallbackList,
  CallbackTarget,
  RecordFilter,
  RecordList,
  RequestFilter,
  RequestList,
  ResponseStatus,
} from './test-kit/project/lists.ts';
export type { ProjectClock, TestProject as Project, TriggerOptions } from './test-kit/project/project.ts';
export type {
  AddedFailure,
  FailOptions,
  FailureKind,
  RuleState,
  ScenarioStates,
  UsedScenario,
} from './test-kit/project/rules.ts';
export type { RequestBody, ResponseBody, SendOptions, SentResponse } from './test-kit/project/send.ts';
export type { Wait } from './test-kit/project/waiting.ts';
export type { CallbackListener, ListenOptions } from './test-kit/receiver/callback-listener.ts';
export {
  type AnswerChoice,
  type CallbackAnswer,
  type CallbackReceiver,
  createCallbackReceiver,
  type ReceiverOptions,
} from './test-kit/receiver/callback-receiver.ts';
export type { ReceivedCallback, ReceivedFilter } from './test-kit/receiver/received.ts';
export type { SandboxOptions } from './test-kit/sandbox/option-texts.ts';
export { forEachFailure, startSandbox, type TestSandbox as Sandbox } from './test-kit/sandbox/start-sandbox.ts';
export { SandboxError } from './test-kit/sandbox-error.ts';
export type {
  ActiveScenarios,
  AdvanceView as AdvanceResult,
  CallbackEndpoint,
  CallbackMessageView as CallbackMessage,
  CallbackStateName as CallbackState,
  CallbackTypeName as CallbackType,
  CallbackView as Callback,
  ClockView as ClockState,
  DeviceLocation,
  Duration,
  ExpectationView as ExpectationState,
  JobView as Job,
  JournalRequest,
  Mistake,
  OperationName as OperationId,
  Order,
  RecordingView as Recording,
  ResetResult,
  RestoreResult,
  Route,
  ScenarioInput as Scenario,
  SnapshotView as Snapshot,
  Trail,
  User,
} from './test-kit/types.ts';
