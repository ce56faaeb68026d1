/** The detail of one callback: its outcome, each attempt with the sent bytes and the response, and its payload. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount, formatSpan } from '../../lib/format.ts';
import { callApi, projectPath, type Schemas } from '../api.ts';
import { attemptKind, instant, untilDue } from '../format.ts';
import { Detail } from '../parts/detail.tsx';
import { Json } from '../parts/json.tsx';
import { Message, sizeOf } from '../parts/message.tsx';
import { Copy, Facts, Icon, IconAction, Outcome, RequestLink, Section, State } from '../parts/small.tsx';
import { type Step, Steps } from '../parts/steps.tsx';
import { linkTo } from '../route.ts';
import { attempt, chosenProject, copyText, notice } from '../state.ts';
import { useNow, useProjectApi } from '../use-api.ts';
import { Failed } from './request-overview.tsx';

type Explanation = Schemas['CallbackExplanation'];
type Callback = Schemas['Callback'] & { readonly explanation: Explanation };
type Attempt = Schemas['Attempt'];

/** Maximum number of entries and of attempts that are listed. */
const maxEntries = 20;
const maxAttempts = 50;

interface CallbackDetailProps {
  readonly id: string;
  readonly close: () => void;
}

export function CallbackDetail({ id, close }: CallbackDetailProps) {
  const { value, errorText, isMissing } = useProjectApi<Callback>(`/callbacks/${encodeURIComponent(id)}`);
  const callback = isMissing ? undefined : value;
  const missing = `No callback ${id} in project ${chosenProject()}. It may be in another project, or this project was reset.`;
  return (
    <Detail
      id={id}
      title={callback?.type ?? 'Callback'}
      chip={callback && <State state={callback.state} />}
      actions={callback && <Actions callback={callback} />}
      at={callback?.explanation.raisedAt}
      clock={callback?.explanation.clock}
      close={close}
      of={{ value: callback, errorText: isMissing ? missing : errorText }}
    >
      {callback && <Explained callback={callback} />}
    </Detail>
  );
}

function Actions({ callback: { id, attempts, body, explanation } }: { readonly callback: Callback }) {
  const [isSending, setIsSending] = useState(false);
  const path = projectPath(chosenProject() ?? '', `/callbacks/${encodeURIComponent(id)}/redeliver`);
  const redeliver = async (): Promise<void> => {
    if (isSending) return;
    setIsSending(true);
    await attempt('', async () => {
      const { status = 0, error } = await callApi<Attempt>('POST', path);
      if (status >= 200 && status < 300) notice('good', `Delivered: ${status}.`);
      else notice('bad', `Not delivered: ${error ?? status}.`);
    });
    setIsSending(false);
  };
  const { url, listener } = explanation.endpoint;
  const message = attempts.at(-1)?.sent ?? JSON.stringify(body, null, 2);
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

function Explained({ callback }: { readonly callback: Callback }) {
  const { requestId, operation, body, triggered, explanation } = callback;
  const { raisedAt, requestAt, subProjectId, rules, failed, succeeded = [] } = explanation;
  const payload = JSON.stringify(body, null, 2);
  const entries = [...failed, ...succeeded.map((id) => ({ id, reason: 'carried out' }))];
  const entriesTitle = failed.length > 0 ? 'Failed entries' : 'Entries';
  const request = (
    <>
      <RequestLink id={requestId}>{operation}</RequestLink>
      {requestAt === undefined ? <span class="quiet"> no longer in the journal</span> : ` at ${instant(requestAt)}`}
    </>
  );
  return (
    <>
      <Summary explanation={explanation} />
      <Steps label="Attempts" steps={toSteps(callback)} clock={explanation.clock} />
      <Facts
        of={[
          ['Request', triggered ? 'none: it was made without one' : request],
          ['Operation', triggered && operation],
          ['Project', `${chosenProject()}${subProjectId === undefined ? '' : `, subproject ${subProjectId}`}`],
          ['Raised', `${instant(raisedAt)} UTC`],
          ['Scenarios', rules.length > 0 && <Rules rules={rules} />],
        ]}
      />
      {entries.length > 0 && (
        <Section title={entriesTitle}>
          <Failed failed={entries} count={entries.length} max={maxEntries} />
        </Section>
      )}
      <Section title="Payload" beside={<Copy label="Copy as JSON" text={payload} />}>
        <Json text={payload} />
      </Section>
    </>
  );
}

function Summary({ explanation }: { readonly explanation: Explanation }) {
  const { summary, nextAttemptAt, copiesLeft, clock, endpoint } = explanation;
  const nowMs = useNow(clock) ?? 0;
  const toEndpoint = linkTo('callbacks', { view: 'endpoint' });
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
              , which is frozen: <a href={linkTo('clock')}>advance it</a>
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

function toSteps({ attempts, explanation }: Callback): readonly Step[] {
  const { raisedAt, nextAttemptAt } = explanation;
  const endOf = (one: Attempt | undefined): number =>
    one ? Date.parse(one.at) + (one.response?.durationMs ?? 0) : Date.parse(raisedAt);
  const titleOf = (number: number, outcome: ComponentChildren) => (
    <>
      Attempt {number + 1} {outcome}
    </>
  );
  const all = attempts.map((one, number): Step => {
    const before = attempts[number - 1];
    const { reason = '', change } = explanation.attempts[number] ?? {};
    const took = one.response === undefined ? '' : `, took ${formatSpan(one.response.durationMs)}`;
    return {
      key: String(number),
      atMs: Date.parse(one.at),
      endMs: endOf(one),
      waitFromMs: endOf(before),
      kind: attemptKind(one),
      title: titleOf(number, <Outcome of={one} />),
      note: `${took} · ${reason}`,
      excerpt: toExcerpt(one),
      isOpen: attempts.length === 1,
      content: <Bytes attempt={one} change={change} isSame={before?.sent === one.sent} />,
    };
  });
  const steps = all.slice(-maxAttempts);
  if (nextAttemptAt === undefined) return steps;
  const next: Step = {
    key: 'next',
    atMs: Date.parse(nextAttemptAt),
    endMs: Date.parse(nextAttemptAt),
    waitFromMs: endOf(attempts.at(-1)),
    kind: 'quiet',
    title: titleOf(attempts.length, <span class="chip quiet">scheduled</span>),
    note: ` · due at ${instant(nextAttemptAt)}`,
  };
  return [...steps, next];
}

/** Maximum length of an excerpt, in characters. */
const maxExcerpt = 200;

/** Returns the start of what went wrong; an empty text if nothing did. */
function toExcerpt({ status = 0, error, response }: Attempt): string {
  const text = error ?? (status >= 200 && status < 300 ? '' : (response?.body ?? ''));
  return text.slice(0, maxExcerpt).replaceAll(/\s+/g, ' ');
}

interface BytesProps {
  readonly attempt: Attempt;
  readonly change: Schemas['AttemptExplanation']['change'];
  /** Whether the body is that of the attempt before. */
  readonly isSame: boolean;
}

/** What was sent, with the place marked from which it differs from the payload, and what the receiver responded. */
function Bytes({ attempt: one, change, isSame }: BytesProps) {
  const { sent, headers, status, error } = one;
  const isInInbox = status === undefined && error === undefined;
  const same = change?.at ?? sent.length;
  return (
    <>
      {headers['webhook-signature'] === undefined && <p class="warn">Not signed.</p>}
      {change && <p class="warn">{change.text}.</p>}
      <Response of={one} />
      <details class="sent" aria-label="Sent headers and body" open={change !== undefined}>
        <summary>Sent headers and body{isSame && ' (same body as the previous attempt)'}</summary>
        <div class="column">
          <Facts of={Object.entries(headers)} look="facts mono" />
          <div class="row">
            <span class="quiet">
              {sizeOf(sent)}, exactly as {isInInbox ? 'stored in the inbox' : 'sent'}
            </span>
            <span class="push">
              <Copy text={sent} />
            </span>
          </div>
          <pre tabIndex={0} role="group" aria-label="Body">
            {sent.slice(0, same)}
            {same < sent.length && <mark>{sent.slice(same)}</mark>}
          </pre>
        </div>
      </details>
    </>
  );
}

function Response({ of: { status, error, response } }: { readonly of: Attempt }) {
  if (error !== undefined) return <p class="bad">No response: {error}.</p>;
  if (status === undefined) return <p>Stored in the inbox.</p>;
  if (response === undefined) return <p class="quiet">The response was not stored.</p>;
  const title = (
    <>
      The receiver responded with <strong>{status}</strong> after {formatSpan(response.durationMs)}.
    </>
  );
  return <Message label="Response" title={title} message={response} />;
}
