/** Swagger UI, restricted to this sandbox: it uses the console's key and sends requests to no other host. */
import SwaggerUi, { type SwaggerSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { type ApiDocument, keySchemes, operationAt, tagOf } from './document.ts';
import { filtering } from './filter.ts';
import { createLayout, foldingCurl, nameFields, plainExtensions, withoutKeyForms } from './layout.ts';
import type { TriedRequest } from './outcome.ts';
import { createReportingPlugin, type OperationKey, typedBodies, type UiHandlers } from './reporting.ts';

export class ReferenceView {
  private readonly document: ApiDocument;
  private readonly host: HTMLElement;
  private readonly ui: SwaggerSystem;
  /** Waits for the element to scroll to. */
  private observer: MutationObserver | undefined;

  constructor(host: HTMLElement, document: ApiDocument, handlers: UiHandlers, ready: () => void) {
    this.host = host;
    this.document = document;
    nameFields(host);
    const reporting = createReportingPlugin({
      opened: (operation, isOpen) => {
        if (isOpen) this.scrollToTop(operation);
        handlers.opened(operation, isOpen);
      },
      tried: (tried, key) => {
        handlers.tried(tried, key);
        this.showResponse(tried, key);
      },
    });
    this.ui = SwaggerUi({
      domNode: host,
      spec: document,
      plugins: [createLayout(document), withoutKeyForms, foldingCurl, plainExtensions, filtering, reporting],
      layout: 'ConsoleLayout',
      // Its links would overwrite the console's route in the URL.
      deepLinking: false,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayOperationId: true,
      displayRequestDuration: true,
      showExtensions: true,
      tryItOutEnabled: true,
      filter: true,
      validatorUrl: null,
      persistAuthorization: false,
      onComplete: () => {
        this.restoreBodies();
        ready();
      },
      requestInterceptor: (request) => {
        if (new URL(request.url, location.href).origin === location.origin) return request;
        throw new Error('The console sends requests only to its own sandbox.');
      },
    });
  }

  /** Restores the bodies that the user typed before. */
  private restoreBodies(): void {
    const { setRequestBodyValue, setRetainRequestBodyValueFlag } = this.ui.oas3Actions;
    for (const { pathMethod, value } of typedBodies.values()) {
      setRequestBodyValue({ pathMethod, value });
      // Without this flag, the media type field removes the body when it is rendered.
      setRetainRequestBodyValueFlag({ pathMethod, value: true });
    }
  }

  setKey(key: string): void {
    for (const scheme of keySchemes(this.document)) this.ui.preauthorizeApiKey(scheme, key);
  }

  /** Opens an operation and scrolls to it. Returns false if there is no such operation. */
  open(operation: string): boolean {
    const tag = tagOf(this.document, operation);
    if (tag === undefined) return false;
    this.ui.layoutActions.show(['operations-tag', tag], true);
    this.ui.layoutActions.show(['operations', tag, operation], true);
    return true;
  }

  /** Scrolls an operation to the top, once all of it is rendered. */
  private scrollToTop(operation: string): void {
    const block = blockOf(operation);
    this.once(`${block} .responses-wrapper`, () => this.host.querySelector(block)?.scrollIntoView({ block: 'start' }));
  }

  /** Scrolls to the response and focuses it, because the button that had the focus was removed. */
  private showResponse({ is }: TriedRequest, key: OperationKey): void {
    const operation = operationAt(this.document, key);
    if (is === 'sent' || operation === undefined) return;
    this.once(`${blockOf(operation)} .live-responses-table`, (table) => {
      const heading = table.previousElementSibling as HTMLElement;
      heading.tabIndex = -1;
      const { activeElement } = document;
      if (activeElement === document.body || activeElement?.matches('.execute')) heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: 'start' });
    });
  }

  /** Calls `then` as soon as an element matches. Only the last call counts. */
  private once(selector: string, then: (found: Element) => void): void {
    this.observer?.disconnect();
    const check = (): void => {
      const found = this.host.querySelector(selector);
      if (!found) return;
      this.observer?.disconnect();
      then(found);
    };
    this.observer = new MutationObserver(check);
    this.observer.observe(this.host, { childList: true, subtree: true });
    // An element that exists now may be about to be replaced, so this waits for the next rendering.
    setTimeout(check);
  }
}

function blockOf(operation: string): string {
  return `.opblock[id$="-${CSS.escape(operation)}"]`;
}
