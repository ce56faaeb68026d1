/** What the reference says of the API, and of one operation: its fields, rules, responses and examples. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../api.ts';
import { statusKind } from '../format.ts';
import { Json } from '../parts/json.tsx';
import { Code, Icon } from '../parts/small.tsx';
import { linkTo } from '../route.ts';

type Reference = Schemas['ApiReference'];
type Operation = Schemas['ApiOperation'];
type Detail = Schemas['ApiOperationDetail'];
type Body = Schemas['ApiBody'];
type Field = Schemas['ApiField'];

export function Method({ name }: { readonly name: string }) {
  return <span class={`method method-${name.toLowerCase()}`}>{name}</span>;
}

/** A text that breaks at each match. */
export function Breakable({ text, at }: { readonly text: string; readonly at: RegExp }) {
  return (
    <>
      {text.split(at).map((part, index) => (
        <span key={index}>
          {part}
          <wbr />
        </span>
      ))}
    </>
  );
}

function Paragraphs({ text }: { readonly text: string }) {
  const all = text.split(/\n\s*\n/).filter((one) => one.trim() !== '');
  return (
    <>
      {all.map((one) => (
        <p key={one}>
          <Code text={one} />
        </p>
      ))}
    </>
  );
}

interface AboutProps {
  readonly of: Pick<Field, 'description' | 'rules' | 'assumption'>;
}

/** A description, the rules, and what the operator's documentation does not show, so that the sandbox assumes it. */
function About({ of: { description = '', rules = [], assumption } }: AboutProps) {
  return (
    <>
      <Paragraphs text={description} />
      {rules.map((one) => (
        <p key={one} class="rule">
          <Code text={one} />
        </p>
      ))}
      {assumption !== undefined && (
        <p class="assumption">
          <span title="The operator's documentation does not show this.">Assumption:</span> <Code text={assumption} />
        </p>
      )}
    </>
  );
}

/** What the document says about the API as a whole. */
export function Overview({ reference: { title, version, description, servers } }: { readonly reference: Reference }) {
  return (
    <article class="description" aria-label="Overview">
      <header>
        <h2 tabIndex={-1}>{title}</h2>
        <p class="quiet">Version {version}</p>
      </header>
      <Paragraphs text={description} />
      <section>
        <h3>Servers</h3>
        <dl class="facts">
          {servers.map(({ url, description: about = '' }) => (
            <>
              <dt>
                <code>{url}</code>
              </dt>
              <dd>
                <Code text={about} />
              </dd>
            </>
          ))}
        </dl>
      </section>
      <section>
        <h3>Document</h3>
        <p>
          This reference shows the{' '}
          <a href="openapi.json" target="_blank" rel="noreferrer">
            OpenAPI document
          </a>{' '}
          of this sandbox, with its profile.
        </p>
      </section>
    </article>
  );
}

export function Description({ operation, detail }: { readonly operation: Operation; readonly detail: Detail }) {
  const { id, method, path, summary } = operation;
  const { parameters, body, responses, callbacks } = detail;
  return (
    <article class="description" aria-label={id}>
      <header>
        <h2 tabIndex={-1}>{summary}</h2>
        <div class="row">
          <code class="operation-name">{id}</code>
          <button type="button" class="try-it" onClick={showRequest}>
            Try it
          </button>
        </div>
        <p class="operation-path">
          <Method name={method} />
          <code>
            <Breakable text={path} at={/(?<=\/)/} />
          </code>
        </p>
      </header>
      <About of={detail} />
      {callbacks.map((one) => (
        <p key={one}>
          Failures after the response are reported by the callback{' '}
          <a href={linkTo('reference', { operation: one })}>{one}</a>.
        </p>
      ))}
      {parameters.length > 0 && (
        <section>
          <h3>Parameters</h3>
          <Fields label="Parameters" fields={parameters} />
        </section>
      )}
      {body && (
        <section>
          <h3>
            Body <span class="quiet">{body.type}</span>
          </h3>
          <BodyFields label="Body" body={body} />
        </section>
      )}
      <section>
        <h3>Responses</h3>
        <div class="responses" role="group" aria-label="Responses">
          {responses.map((response, index) => (
            <Response key={response.status} response={response} isOpen={index === 0} />
          ))}
        </div>
      </section>
    </article>
  );
}

/** Scrolls to the request, which is below the description on small displays. */
function showRequest(): void {
  document.querySelector('.reference-request')?.scrollIntoView();
}

function BodyFields({ label, body }: { readonly label: string; readonly body: Body }) {
  return (
    <>
      <About of={body} />
      {body.fields.length > 0 && <Fields label={label} fields={body.fields} />}
    </>
  );
}

interface ResponseProps {
  readonly response: Detail['responses'][number];
  readonly isOpen: boolean;
}

function Response({ response: { status, description, headers, body }, isOpen }: ResponseProps) {
  const kind = /^\d+$/.test(status) ? statusKind(Number(status)) : 'quiet';
  const title = (
    <>
      <span class={`chip ${kind}`}>{status}</span> <Code text={description} />
    </>
  );
  return (
    <Fold title={title} isOpen={isOpen}>
      {() => (
        <div class="column">
          {headers.length > 0 && (
            <>
              <h4>Headers</h4>
              <Fields label={`Headers of ${status}`} fields={headers} />
            </>
          )}
          <h4>Body</h4>
          {body ? <BodyFields label={`Body of ${status}`} body={body} /> : <p class="quiet">No body.</p>}
          {body?.examples.map(({ name, title: example, value }) => (
            <Fold key={name} title={`Example: ${example}`}>
              {() => <Json text={JSON.stringify(value)} />}
            </Fold>
          ))}
        </div>
      )}
    </Fold>
  );
}

interface FoldProps {
  readonly title: ComponentChildren;
  readonly isOpen?: boolean;
  readonly children: () => ComponentChildren;
}

/** Content that is rendered when the user opens it. */
function Fold({ title, isOpen = false, children }: FoldProps) {
  const [isShown, setIsShown] = useState(isOpen);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsShown(currentTarget.open)}>
      <summary>{title}</summary>
      {isShown && children()}
    </details>
  );
}

/** A table of fields. A field with fields inside opens them below it. */
function Fields({ label, fields }: { readonly label: string; readonly fields: readonly Field[] }) {
  // A body often has only a list: its entries are what the reader looks for.
  const first = fields.filter(({ level }) => level === 0).length === 1 ? [0] : [];
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set(first));
  const toggle = (index: number): void => {
    const others = [...opened].filter((one) => one !== index);
    setOpened(new Set(opened.has(index) ? others : [...others, index]));
  };
  /** The level of the field above whose inner fields are closed. */
  let closed = Number.POSITIVE_INFINITY;
  const shown = fields.flatMap((field, index) => {
    if (field.level > closed) return [];
    closed = opened.has(index) ? Number.POSITIVE_INFINITY : field.level;
    const name = (
      <code>
        <Breakable text={field.name} at={/(?=[A-Z])/} />
      </code>
    );
    return [{ field, index, name, hasInner: (fields[index + 1]?.level ?? 0) > field.level }];
  });
  return (
    <table class="fields" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ field, index, hasInner, name }) => (
          <tr key={index} style={{ '--level': field.level }}>
            <td>
              {hasInner ? (
                <button type="button" aria-expanded={opened.has(index)} onClick={() => toggle(index)}>
                  <Icon name="chevron-right" />
                  {name}
                </button>
              ) : (
                name
              )}
              {field.isRequired && <span class="required"> required</span>}
            </td>
            <td class="mono quiet">
              {field.type}
              {field.place && ` · ${field.place}`}
            </td>
            <td>
              <FieldText field={field} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Maximum number of values of an enum that are shown without a click. */
const maxOpenValues = 4;

function FieldText({ field }: { readonly field: Field }) {
  const { limits = [], values, example } = field;
  const list = values && (
    <dl class="values">
      {values.map(({ value, description: about }) => (
        <div key={String(value)}>
          <dt>
            <code>{JSON.stringify(value)}</code>
          </dt>
          <dd class="quiet">{about}</dd>
        </div>
      ))}
    </dl>
  );
  return (
    <>
      <About of={field} />
      {values && values.length > maxOpenValues ? <Fold title={`${values.length} values`}>{() => list}</Fold> : list}
      {(limits.length > 0 || example !== undefined) && (
        <p class="limits">
          {limits.join(' · ')}
          {example !== undefined && (
            <>
              {limits.length > 0 && ' · '}example <code>{JSON.stringify(example)}</code>
            </>
          )}
        </p>
      )}
    </>
  );
}
