/** Plugins for the layout of Swagger UI, without headings, landmarks and forms that the console already has. */
import type { ApiDocument } from './document.ts';

type Rendered = object | null;

export interface System {
  readonly React: { createElement(kind: unknown, settings?: object | null, ...children: readonly unknown[]): Rendered };
  getComponent(name: string, isContainer?: boolean): unknown;
}

/** Plugin with the layout `ConsoleLayout`. */
export function createLayout({ info }: ApiDocument): (system: System) => object {
  return ({ React, getComponent }) => {
    const render = (name: string, settings: object | null = null): Rendered =>
      React.createElement(getComponent(name, true), settings);
    const ConsoleLayout = (): Rendered =>
      React.createElement(
        'div',
        { className: 'swagger-ui' },
        render('SvgAssets'),
        React.createElement('h2', null, `${info.title}, ${info.version}`),
        render('Markdown', { source: info.description ?? '' }),
        render('errors'),
        render('FilterContainer'),
        render('operations'),
        // Models have lower headings than webhooks. In this order no heading level is skipped.
        render('Models'),
        render('Webhooks'),
      );
    return { components: { ConsoleLayout } };
  };
}

/** Collapses the curl command, which precedes the response and can be long. */
export function foldingCurl({ React }: System): object {
  const curl = (Original: unknown) => (settings: object) =>
    React.createElement(
      'details',
      { className: 'reference-curl' },
      React.createElement('summary', null, 'curl command'),
      React.createElement(Original, settings),
    );
  return { wrapComponents: { curl } };
}

/** Renders extensions that are strings as plain text. */
export function plainExtensions({ React }: System): object {
  const OperationExtRow = ({ xKey, xVal }: { readonly xKey: string; readonly xVal: unknown }) => {
    const text = typeof xVal === 'string' ? xVal : JSON.stringify(xVal);
    return React.createElement(
      'tr',
      null,
      React.createElement('td', null, xKey),
      React.createElement('td', null, text),
    );
  };
  return { components: { OperationExtRow } };
}

/** Hides the forms for the key: the console has one field for it, and these forms would store another key. */
export const withoutKeyForms = {
  wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null },
};

/** Adds labels to fields where Swagger UI has none, as long as the element exists. */
export function nameFields(host: HTMLElement): void {
  const observer = new MutationObserver(() => {
    for (const field of host.querySelectorAll('select, textarea, input')) {
      if (field.closest('label') || field.hasAttribute('aria-label')) continue;
      field.setAttribute('aria-label', nameOf(field));
    }
    // Each open operation has regions, all with the same name.
    for (const region of host.querySelectorAll('[role=region]')) region.removeAttribute('role');
    for (const text of host.querySelectorAll('pre:not([tabindex])')) text.setAttribute('tabindex', '0');
  });
  observer.observe(host, { childList: true, subtree: true });
}

function nameOf(field: Element): string {
  const row = field.closest('tr')?.querySelector('.parameter__name')?.firstChild?.textContent;
  if (row) return row;
  if (field.matches('.body-param__text')) return 'Request body';
  if (field.closest('.examples-select')) return 'Example';
  if (field.closest('.response-control-media-type, .content-type-wrapper')) return 'Media type';
  return field.getAttribute('placeholder') ?? 'Value';
}
