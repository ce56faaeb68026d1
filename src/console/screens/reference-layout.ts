/** How Swagger UI is put together for the console: without headings, landmarks and forms that the console has already. */
import type { ApiDocument } from './reference-document.ts';

type Rendered = object | null;

export interface System {
  readonly React: { createElement(kind: unknown, settings?: object | null, ...children: readonly unknown[]): Rendered };
  getComponent(name: string, isContainer?: boolean): unknown;
}

/** The plugin that brings the layout `ConsoleLayout`. */
export function createLayout({ info }: ApiDocument): (system: System) => object {
  return ({ React, getComponent }) => {
    const put = (name: string, settings: object | null = null): Rendered =>
      React.createElement(getComponent(name, true), settings);
    const ConsoleLayout = (): Rendered =>
      React.createElement(
        'div',
        { className: 'swagger-ui' },
        put('SvgAssets'),
        React.createElement('h2', null, `${info.title}, ${info.version}`),
        put('Markdown', { source: info.description ?? '' }),
        put('errors'),
        put('FilterContainer'),
        put('operations'),
        // Headings of models are lower than that of webhooks: in this order none is left out.
        put('Models'),
        put('Webhooks'),
      );
    return { components: { ConsoleLayout } };
  };
}

/** The command is long where the body is, and stands before the answer. */
export function foldingCurl({ React }: System): object {
  const curl = (Original: unknown) => (settings: object) =>
    React.createElement(
      'details',
      { className: 'reference-curl' },
      React.createElement('summary', null, 'As a curl command'),
      React.createElement(Original, settings),
    );
  return { wrapComponents: { curl } };
}

/** Extensions that are texts stand there as texts. */
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

/** The key stands above, once for all; forms of its own would know another. */
export const withoutKeyForms = {
  wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null },
};

/** Names what is to be filled in where Swagger UI forgets to. Ends with the element. */
export function nameFields(host: HTMLElement): void {
  const observer = new MutationObserver(() => {
    for (const field of host.querySelectorAll('select, textarea, input')) {
      if (field.closest('label') || field.hasAttribute('aria-label')) continue;
      field.setAttribute('aria-label', nameOf(field));
    }
    // Each operation that is open has regions, all of the same name.
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
