/** What the reference says of the API, and of one operation: its fields, rules, responses and examples. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../api.ts';
import { type Kind, statusKind } from '../format.ts';
import { Json } from '../parts/json.tsx';
import { Code, Facts, Icon, Section } from '../parts/small.tsx';
import { linkTo } from '../route.ts';

type Reference = Schemas['ApiReference'];
type Operation = Schemas['ApiOperation'];
type Detail = Schemas['ApiOperationDetail'];
type Body = Schemas['ApiBody'];
type Field = Schemas['ApiField'];

const methodKinds: Readonly<Record<string, Kind>> = { POST: 'good', PUT: 'warn', PATCH: 'warn' };

export function Method({ name }: { readonly name: string }) {
  return <span class={`chip method ${methodKinds[name] ?? 'quiet'}`}>{name}</span>;
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
        <p class="quiet small">
          <abbr title="The operator's documentation does not show this.">Assumption:</abbr> <Code text={assumption} />
        </p>
      )}
    </>
  );
}

/** What the document says about the API as a whole. */
export function Overview({ reference: { title, version, description, servers } }: { readonly reference: Reference }) {
  return (
    <article class="description column" aria-label="Overview">
      <header class="column">
        <h2 tabIndex={-1}>{title}</h2>
        <p class="quiet">Version {version}</p>
      </header>
      <Paragraphs text={description} />
      <Section title="Servers">
        <Facts
          of={servers.map(({ url, description: about = '' }) => [<code key={url}>{url}</code>, <Code text={about} />])}
        />
      </Section>
      <Section title="Document">
        <p>
          This reference shows the{' '}
          <a href="openapi.json" target="_blank" rel="noreferrer">
            OpenAPI document
          </a>{' '}
          of this sandbox, with its profile.
        </p>
      </Section>
    </article>
  );
}

export function Description({ operation, detail }: { readonly operation: Operation; readonly detail: Detail }) {
  const { id, method, path, summary } = operation;
  const { parameters, body, responses, callbacks } = detail;
  return (
    <article class="description column" aria-label={id}>
      <header class="column">
        <h2 tabIndex={-1}>{summary}</h2>
        <div class="row">
          <strong class="mono">{id}</strong>
          <button type="button" class="try-it" onClick={showRequest}>
            Try it
          </button>
        </div>
        <p>
          <Method name={method} /> <code>{path}</code>
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
        <Section title="Parameters">
          <Fields label="Parameters" fields={parameters} />
        </Section>
      )}
      {body && (
        <section class="column">
          <h3>
            Body <span class="quiet">{body.type}</span>
          </h3>
          <BodyFields label="Body" body={body} />
        </section>
      )}
      <Section title="Responses">
        <div class="responses column" role="group" aria-label="Responses">
          {responses.map((response, index) => (
            <Response key={response.status} response={response} isOpen={index === 0} />
          ))}
        </div>
      </Section>
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

/** A list of fields. A field with fields inside opens them below it. */
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
    const name = <code>{field.name}</code>;
    return [{ field, index, name, hasInner: (fields[index + 1]?.level ?? 0) > field.level }];
  });
  return (
    <ul class="fields column" aria-label={label}>
      {shown.map(({ field, index, hasInner, name }) => (
        <li key={index} style={{ '--level': field.level }}>
          {hasInner ? (
            <button type="button" class="plain" aria-expanded={opened.has(index)} onClick={() => toggle(index)}>
              <Icon name={opened.has(index) ? 'chevron-down' : 'chevron-right'} />
              {name}
            </button>
          ) : (
            name
          )}
          {field.isRequired && <span class="warn small"> required</span>}
          <span class="mono quiet">
            {' '}
            {field.type}
            {field.place && ` · ${field.place}`}
          </span>
          <FieldText field={field} />
        </li>
      ))}
    </ul>
  );
}

/** Maximum number of values of an enum that are shown without a click. */
const maxOpenValues = 4;

function FieldText({ field }: { readonly field: Field }) {
  const { limits = [], values, example } = field;
  const list = values && (
    <Facts
      of={values.map(({ value, description: about }) => [
        <code key={value}>{JSON.stringify(value)}</code>,
        <span class="quiet">{about}</span>,
      ])}
    />
  );
  return (
    <>
      <About of={field} />
      {values && values.length > maxOpenValues ? <Fold title={`${values.length} values`}>{() => list}</Fold> : list}
      {(limits.length > 0 || example !== undefined) && (
        <p class="quiet small">
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
