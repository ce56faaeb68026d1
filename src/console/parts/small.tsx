/** Small parts that many screens use. */
import { type ComponentChildren, type Context, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Schemas } from '../api.ts';
import { type Attempted, attemptKind, attemptText, shortId, stateKinds, statusKind } from '../format.ts';
import { choose, linkTo, route, type ScreenName } from '../route.ts';
import { copyText } from '../state.ts';
import { shapes } from './icon-shapes.ts';

export type IconName = keyof typeof shapes;

/** An icon of 16 pixels in the color of its text. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" dangerouslySetInnerHTML={{ __html: shapes[name] }} />;
}

interface ActionProps {
  readonly icon: IconName;
  readonly label: string;
  readonly act: (event: MouseEvent) => unknown;
  readonly isPressed?: boolean;
}

/** A button with an icon only. */
export function IconAction({ icon, label, act, isPressed }: ActionProps) {
  return (
    <button type="button" class="icon" aria-label={label} title={label} aria-pressed={isPressed} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

interface LinkProps extends Pick<ActionProps, 'icon' | 'label'> {
  readonly href: string;
  /** Name of the file, if the link downloads one. */
  readonly download?: string;
}

/** A link with an icon only. */
export function IconLink({ icon, label, href, download }: LinkProps) {
  return (
    <a class="button icon" aria-label={label} title={label} href={href} download={download}>
      <Icon name={icon} />
    </a>
  );
}

interface CopyProps {
  readonly label?: string;
  readonly text: string;
  /** What a plain button shows in place of the label. */
  readonly shown?: string;
}

/** A button that copies a text. */
export function Copy({ label = 'Copy', text, shown }: CopyProps) {
  // What is copied may still be loaded.
  if (text === '') return null;
  return (
    <button
      type="button"
      class={shown && 'plain mono'}
      aria-label={shown && label}
      title={shown && label}
      onClick={() => copyText(text)}
    >
      {shown ?? label}
    </button>
  );
}

/** A text as code, with a button that copies it. */
export function CopyCode({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <span class="row">
      <code>{text}</code>
      <IconAction icon="copy" label={`Copy ${name}`} act={() => copyText(text)} />
    </span>
  );
}

/** The status of a response. It is 0 if no response was sent, which `none` describes. */
export function Status({ status, none = 'no response' }: { readonly status: number; readonly none?: string }) {
  return <span class={`chip ${statusKind(status)}`}>{status === 0 ? none : status}</span>;
}

export function State({ state }: { readonly state: Schemas['CallbackState'] }) {
  return <span class={`chip ${stateKinds[state]}`}>{state}</span>;
}

/** What came of an attempt: a status, no response, or the inbox. */
export function Outcome({ of }: { readonly of: Attempted }) {
  return <span class={`chip ${attemptKind(of)}`}>{attemptText(of)}</span>;
}

/** The project to which links of the content lead; null for what belongs to none. Default: that of the URL. */
export const LinkProject: Context<string | null | undefined> = createContext<string | null | undefined>(undefined);

function useLink(screen: ScreenName, query: Readonly<Record<string, string>>): string {
  const project = useContext(LinkProject);
  return linkTo(screen, project === undefined ? query : { ...query, project: project ?? '' });
}

/** An id as a link to all events of what has it. `before`: what it is. */
export function EntityLink({ id, before = '' }: { readonly id: string; readonly before?: string }) {
  const href = useLink('entity', { id });
  const text = before + shortId(id);
  return useContext(LinkProject) === null ? <span>{text}</span> : <a href={href}>{text}</a>;
}

interface OpeningProps {
  readonly id: string;
  /** What it is. Screen readers hear the id as well. Default: the id. */
  readonly children?: ComponentChildren;
}

/** A link that opens a request. */
export function RequestLink({ id, children }: OpeningProps) {
  return (
    <a class={children ? '' : 'mono'} href={useLink('live', { request: id })}>
      {children}
      {children ? <span class="unseen"> {id}</span> : id}
    </a>
  );
}

/** A link that opens a callback. */
export function CallbackLink({ id }: { readonly id: string }) {
  return (
    <a class="mono" href={useLink('callbacks', { callback: id })}>
      {id}
    </a>
  );
}

/** The first items of a list, and the number of the others. `count`: of all, if not all are here. */
export function FirstOf<Item>(props: {
  readonly items: readonly Item[];
  readonly max: number;
  readonly count?: number;
  readonly show: (item: Item) => ComponentChildren;
}) {
  const { items, max, count = items.length, show } = props;
  const shown = items.slice(0, max);
  if (shown.length === 0) return null;
  return (
    <ul class="plain">
      {shown.map((item, index) => (
        <li key={index}>{show(item)}</li>
      ))}
      {count > shown.length && <li class="quiet">and {(count - shown.length).toLocaleString('en')} more</li>}
    </ul>
  );
}

/** Returns a handler that submits a form. `value`: what a field has, without spaces around it. */
export function onSubmit(handle: (value: (name: string) => string) => unknown): (event: SubmitEvent) => void {
  return (event) =>
    submitOnce(event, (form) => {
      const data = new FormData(form);
      return handle((name) => String(data.get(name) ?? '').trim());
    });
}

/** Submits a form without leaving the page, unless it is being submitted: at a double click. */
export async function submitOnce(event: SubmitEvent, submit: (form: HTMLFormElement) => unknown): Promise<void> {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  if (form.ariaBusy !== null) return;
  form.ariaBusy = 'true';
  try {
    await submit(form);
  } finally {
    form.ariaBusy = null;
  }
}

interface OneFieldProps {
  readonly label: string;
  readonly button: string;
  readonly isDisabled?: boolean;
  readonly submit: (value: string) => unknown;
  readonly children: ComponentChildren;
}

/** A form of one field, which is called `value`. */
export function OneField({ label, button, isDisabled = false, submit, children }: OneFieldProps) {
  return (
    <form class="row" onSubmit={onSubmit((value) => submit(value('value')))}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the field is the child */}
      <label class="field">
        {label} {children}
      </label>
      <button type="submit" disabled={isDisabled}>
        {button}
      </button>
    </form>
  );
}

interface SectionProps {
  readonly title: string;
  /** Shown at the right of the title. */
  readonly beside?: ComponentChildren;
  readonly isCard?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a screen or a detail; a card has a frame. */
export function Section({ title, beside, isCard = false, children }: SectionProps) {
  return (
    <section class={isCard ? 'card column' : 'column'} aria-label={title}>
      <div class="row">
        {isCard ? <h2>{title}</h2> : <h3>{title}</h3>}
        <span class="push">{beside}</span>
      </div>
      {children}
    </section>
  );
}

export function Card(props: SectionProps) {
  return <Section {...props} isCard />;
}

/** Placeholder of an empty view: one line, and what leads on. */
export function Empty({ line, children }: { readonly line: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty column">
      <h2>{line}</h2>
      {children && <div class="column">{children}</div>}
    </div>
  );
}

/** An error on a screen, or nothing if the text is empty. */
export function ErrorNote({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <p class="note bad" role="alert">
      {text}
    </p>
  );
}

/** Placeholder of what is not loaded yet. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading…</span>
      {Array.from({ length: rows }, (_, row) => (
        <i key={row} />
      ))}
    </div>
  );
}

/** Why data cannot be loaded, or a placeholder until it is. */
export function Loading(props: {
  readonly of: { readonly value: unknown; readonly errorText: string };
  readonly rows?: number;
}) {
  const { of, rows = 6 } = props;
  if (of.errorText !== '') return <ErrorNote text={of.errorText} />;
  return of.value === undefined ? <Skeleton rows={rows} /> : null;
}

/** Names with their values. Those without a value are left out. */
export function Facts(props: {
  readonly of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
  readonly look?: string;
}) {
  const { of, look = 'facts' } = props;
  const shown = of.filter(([, value]) => value !== undefined && value !== null && value !== false);
  return (
    <dl class={look}>
      {shown.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** A text whose parts between backticks are code. */
export function Code({ text }: { readonly text: string }) {
  // An unpaired backtick stays as it is.
  return (
    <>{text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
  );
}

interface TabsProps {
  readonly label: string;
  readonly parameter: string;
  /** The titles by the values of the parameter, which is empty for the first tab. */
  readonly tabs: Readonly<Record<string, string>>;
  /** Whether they are parts of what is open: they keep the rest of the selection, and add no steps to the history. */
  readonly isDetail?: boolean;
}

/** Views of one screen, as links: the parameter of the URL says which is shown. */
export function Tabs({ label, parameter, tabs, isDetail = false }: TabsProps) {
  const { screen, query } = route.value;
  const { project = '' } = query;
  const chosen = query[parameter] ?? '';
  const current = Object.hasOwn(tabs, chosen) ? chosen : '';
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries(tabs).map(([name, title]) => (
        <a
          key={name}
          href={linkTo(screen, { ...(isDetail ? query : { project }), [parameter]: name })}
          aria-current={name === current ? 'page' : undefined}
          onClick={(event) => {
            if (!isDetail || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            choose({ [parameter]: name }, true);
          }}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
