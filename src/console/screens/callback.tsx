/** The detail of one callback: its outcome, each attempt with the sent bytes and the response, and its payload. */
import { useState } from 'preact/hooks';
import { formatCount, formatSpan } from '../../lib/format.ts';
import { callApi, projectPath, type Schemas } from '../api.ts';
import { attemptKind, instant, untilDue } from '../format.ts';
import { Detail } from '../parts/detail.tsx';
import { Json } from '../parts/json.tsx';
import { Copy, EntityLink, Facts, Headers, Icon, IconAction, Outcome, RequestLink, State } from '../parts/small.tsx';
import { type Step, Steps } from '../parts/steps.tsx';
import { linkTo } from '../route.ts';
import { attempt, copyText, isOf, notice } from '../state.ts';
import { useApi, useNow } from '../use-api.ts';

type Callback = Schemas['Callback'];
type Explanation = Schemas['CallbackExplanation'];
type Attempt = Schemas['Attempt'];

/** Maximum number of entries and of attempts that are listed. */
const maxEntries = 20;
const maxAttempts = 50;

interface CallbackDetailProps {
  readonly project: string;
  readonly id: string;
  readonly close: () => void;
}

export function CallbackDetail({ project, id, close }: CallbackDetailProps) {
  const path = projectPath(project, `/callbacks/${encodeURIComponent(id)}`);
  const { value, errorText, isMissing, reload } = useApi<Callback>(path, {
    // An attempt of another callback may have disabled the endpoint.
    reloadOn: (event) => ['callback', 'change'].includes(event.kind) && isOf(event, project),
  });
  const callback = isMissing ? undefined : value;
  const explanation = callback?.explanation;
  const missing = `No callback ${id} in project ${project}. It may be in another project, or this project was reset.`;
  return (
    <Detail
      id={id}
      title={callback?.type ?? 'Callback'}
      chip={callback && <State state={callback.state} />}
      actions={callback && <Actions callback={callback} path={path} reload={reload} />}
      at={explanation?.raisedAt}
      clock={explanation?.clock}
      close={close}
      of={{ value: callback, errorText: isMissing ? missing : errorText }}
    >
      {callback && explanation && <Explained project={project} callback={callback} explanation={explanation} />}
    </Detail>
  );
}

interface ActionsProps {
  readonly callback: Callback;
  readonly path: string;
  readonly reload: () => void;
}

function Actions({ callback, path, reload }: ActionsProps) {
  const [isSending, setIsSending] = useState(false);
  const redeliver = async (): Promise<void> => {
    if (isSending) return;
    setIsSending(true);
    await attempt('', async () => {
      const { status = 0, error } = await callApi<Attempt>('POST', `${path}/redeliver`);
      if (status >= 200 && status < 300) notice('good', `Delivered: ${status}.`);
      else notice('bad', `Not delivered: ${error ?? status}.`);
    });
    setIsSending(false);
    reload();
  };
  const { url = null, listener } = callback.explanation?.endpoint ?? {};
  const message = callback.attempts.at(-1)?.sent ?? JSON.stringify(callback.body, null, 2);
  return (
    <>
      {(url !== null || listener) && (
        <button type="button" class="main" onClick={redeliver}>
          <Icon name="repeat" /> {isSending ? 'Sending…' : 'Redeliver'}
        </button>
      )}
      <IconAction icon="braces" label="Copy message" act={() => copyText(message)} />
    </>
  );
}

interface ExplainedProps {
  readonly project: string;
  readonly callback: Callback;
  readonly explanation: Explanation;
}

function Explained({ project, callback, explanation }: ExplainedProps) {
  const { operation, body } = callback;
  const { raisedAt, requestAt, subProjectId, rules } = explanation;
  const payload = JSON.stringify(body, null, 2);
  const steps = toSteps(callback, explanation);
  return (
    <>
      <Summary project={project} explanation={explanation} />
      <Steps label="Attempts" steps={steps} clock={explanation.clock} />
      <Facts
        of={[
          [
            'Request',
            callback.triggered ? 'none: it was made without one' : <Made {...{ project, callback, requestAt }} />,
          ],
          ['Operation', callback.triggered && operation],
          ['Project', subProjectId === undefined ? project : `${project}, subproject ${subProjectId}`],
          ['Raised', `${instant(raisedAt)} UTC`],
          ['Scenarios', rules.length > 0 && <Rules rules={rules} />],
        ]}
      />
      <Entries project={project} explanation={explanation} />
      <section class="column" aria-label="Payload">
        <div class="row">
          <h3>Payload</h3>
          <span class="push">
            <Copy label="Copy as JSON" text={payload} />
          </span>
        </div>
        <Json text={payload} />
      </section>
    </>
  );
}

interface MadeProps extends Pick<ExplainedProps, 'project' | 'callback'> {
  readonly requestAt: string | undefined;
}

/** The request that it is of. */
function Made({ project, callback: { requestId, operation }, requestAt }: MadeProps) {
  return (
    <>
      <RequestLink project={project} id={requestId}>
        {operation}
      </RequestLink>
      {requestAt === undefined ? <span class="quiet"> no longer in the journal</span> : ` at ${instant(requestAt)}`}
    </>
  );
}

function Summary({ project, explanation }: Pick<ExplainedProps, 'project' | 'explanation'>) {
  const { summary, nextAttemptAt, copiesLeft, clock, endpoint } = explanation;
  const nowMs = useNow(clock) ?? 0;
  const toEndpoint = linkTo('callbacks', { project, view: 'endpoint' });
  return (
    <section class="card column outcome" aria-label="Result">
      <p>
        <strong>{summary}</strong>
      </p>
      {nextAttemptAt !== undefined && (
        <p>
          The next attempt is due at {instant(nextAttemptAt)}, {untilDue(nextAttemptAt, nowMs)} on the project's clock
          {clock.mode === 'frozen' && (
            <>
              , which is frozen: <a href={linkTo('clock', { project })}>advance it</a>
            </>
          )}
          .
        </p>
      )}
      {copiesLeft > 0 && (
        <p>Pending: {formatCount(copiesLeft, 'copy', 'copies')} with the same id, created by a scenario.</p>
      )}
      <p class="quiet">
        {endpoint.listener ? (
          'Redeliver sends it now to the listener.'
        ) : endpoint.url === null ? (
          <>
            To send it, set an <a href={toEndpoint}>endpoint</a> for the project. Without one, callbacks are stored in
            the inbox.
          </>
        ) : (
          <>
            Redeliver sends it now to the <a href={toEndpoint}>endpoint</a> <code>{endpoint.url}</code>
            {endpoint.disabled && ', although it is disabled'}.
          </>
        )}
      </p>
    </section>
  );
}

function Rules({ rules }: Pick<Explanation, 'rules'>) {
  return (
    <>
      {rules.map(({ scenario, rule, why }) => (
        <div key={`${scenario} ${rule}`}>
          <a href={linkTo('scenarios', { view: 'editor', edit: scenario })}>{scenario}</a>, {rule}:{' '}
          <span class="quiet">{why}</span>
        </div>
      ))}
    </>
  );
}

function Entries({
  project,
  explanation: { failed, succeeded = [] },
}: Pick<ExplainedProps, 'project' | 'explanation'>) {
  const all = [...failed, ...succeeded.map((id) => ({ id, reason: 'carried out' }))];
  if (all.length === 0) return null;
  const title = failed.length > 0 ? 'Failed entries' : 'Entries';
  const links = all
    .slice(0, maxEntries)
    .map(({ id, reason }) => [<EntityLink project={project} id={id} />, reason] as const);
  return (
    <section class="column" aria-label={title}>
      <h3>{title}</h3>
      <Facts of={links} />
      {all.length > maxEntries && <p class="quiet">and {all.length - maxEntries} more</p>}
    </section>
  );
}

function toSteps(callback: Callback, explanation: Explanation): readonly Step[] {
  const { attempts } = callback;
  const { raisedAt, nextAttemptAt } = explanation;
  const raisedMs = Date.parse(raisedAt);
  const first = Math.max(0, attempts.length - maxAttempts);
  const steps = attempts.slice(first).map((one, index): Step => {
    const [number, before] = [first + index, attempts[first + index - 1]];
    const { reason = '', change } = explanation.attempts[number] ?? {};
    const took = one.response === undefined ? '' : `, took ${formatSpan(one.response.durationMs)}`;
    return {
      key: String(number),
      atMs: Date.parse(one.at),
      endMs: endOf(one),
      waitFromMs: before ? endOf(before) : raisedMs,
      kind: attemptKind(one),
      title: (
        <>
          Attempt {number + 1} <Outcome of={one} />
        </>
      ),
      note: `${took} · ${reason}`,
      excerpt: toExcerpt(one),
      isOpen: attempts.length === 1,
      content: <Bytes callback={callback} attempt={one} change={change} isSame={before?.sent === one.sent} />,
    };
  });
  if (nextAttemptAt === undefined) return steps;
  const last = attempts.at(-1);
  const next: Step = {
    key: 'next',
    atMs: Date.parse(nextAttemptAt),
    endMs: Date.parse(nextAttemptAt),
    waitFromMs: last ? endOf(last) : raisedMs,
    kind: 'quiet',
    title: (
      <>
        Attempt {attempts.length + 1} <span class="chip quiet">scheduled</span>
      </>
    ),
    note: ` · due at ${instant(nextAttemptAt)}`,
  };
  return [...steps, next];
}

function endOf({ at, response }: Attempt): number {
  return Date.parse(at) + (response?.durationMs ?? 0);
}

/** Maximum length of an excerpt, in characters. */
const maxExcerpt = 200;

/** Returns the start of what went wrong; an empty text if nothing did. */
function toExcerpt({ status = 0, error, response }: Attempt): string {
  const text = error ?? (status >= 200 && status < 300 ? '' : (response?.body ?? ''));
  return text.slice(0, maxExcerpt).replaceAll(/\s+/g, ' ');
}

interface BytesProps {
  readonly callback: Callback;
  readonly attempt: Attempt;
  readonly change: Schemas['AttemptExplanation']['change'];
  /** Whether the body is that of the attempt before. */
  readonly isSame: boolean;
}

/** What was sent, and what the receiver responded. */
function Bytes({ callback, attempt: one, change, isSame }: BytesProps) {
  const { sent, headers, status, error } = one;
  const isInInbox = status === undefined && error === undefined;
  const size = formatCount(new TextEncoder().encode(sent).length, 'byte');
  return (
    <>
      {headers['webhook-signature'] === undefined && <p class="warn">Not signed.</p>}
      {change && <Change sent={sent} payload={JSON.stringify(callback.body)} change={change} />}
      <Response of={one} />
      <details class="sent" aria-label="Sent headers and body">
        <summary>Sent headers and body{isSame && ' (same body as the previous attempt)'}</summary>
        <div class="column">
          <Facts of={Object.entries(headers)} look="facts mono" />
          <div class="row">
            <span class="quiet">
              {size}, exactly as {isInInbox ? 'stored in the inbox' : 'sent'}
            </span>
            <span class="push">
              <Copy text={sent} />
            </span>
          </div>
          <pre tabIndex={0} role="group" aria-label="Body">
            {sent}
          </pre>
        </div>
      </details>
    </>
  );
}

interface ChangeProps {
  readonly sent: string;
  readonly payload: string;
  readonly change: NonNullable<BytesProps['change']>;
}

/** The sent bytes beside the payload, with what differs marked. */
function Change({ sent, payload, change: { at, text } }: ChangeProps) {
  const marked = (all: string) => (
    <pre tabIndex={0}>
      {all.slice(0, at)}
      {at < all.length && <mark>{all.slice(at)}</mark>}
    </pre>
  );
  return (
    <>
      <p class="warn">{text}.</p>
      <div class="sides">
        <div class="column">
          <h4>Sent</h4>
          {marked(sent)}
        </div>
        <div class="column">
          <h4>Payload</h4>
          {marked(payload)}
        </div>
      </div>
    </>
  );
}

function Response({ of: { status, error, response } }: { readonly of: Attempt }) {
  if (error !== undefined) return <p class="bad">No response: {error}.</p>;
  if (status === undefined) return <p>Stored in the inbox.</p>;
  if (response === undefined) return <p class="quiet">The response was not stored.</p>;
  const { headers, body, bodyCut, durationMs } = response;
  return (
    <div class="column response" role="group" aria-label="Response">
      <div class="row">
        <span>
          The receiver responded with <strong>{status}</strong> after {formatSpan(durationMs)}.
        </span>
        {body !== '' && (
          <span class="push">
            <Copy label="Copy response" text={body} />
          </span>
        )}
      </div>
      <Headers of={headers} />
      {body === '' ? <p class="quiet">No body.</p> : <Json text={body} />}
      {bodyCut !== undefined && (
        <p class="quiet">
          The first {formatCount(new TextEncoder().encode(body).length, 'byte')} of {formatCount(bodyCut, 'byte')}.
        </p>
      )}
    </div>
  );
}
