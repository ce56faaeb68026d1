/** Swagger UI, kept to this sandbox: no key but the console's, no request to any other host. */
import SwaggerUi, { type SwaggerSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { requestBodies } from '../data/request-bodies.ts';
import { type ApiDocument, keySchemes, operationAt, tagOf } from './reference-document.ts';
import { filtering } from './reference-filter.ts';
import { createLayout, foldingCurl, nameFields, plainExtensions, withoutKeyForms } from './reference-layout.ts';
import type { Tried } from './reference-outcome.ts';
import { createTelling, type Place, type Told } from './reference-told.ts';

export class ReferenceView {
  private readonly document: ApiDocument;
  private readonly host: HTMLElement;
  private readonly ui: SwaggerSystem;
  /** Waits for what is to be brought into sight. */
  private observer: MutationObserver | undefined;

  constructor(host: HTMLElement, document: ApiDocument, told: Told, ready: () => void) {
    this.host = host;
    this.document = document;
    nameFields(host);
    const telling = createTelling({
      opened: (operation, isOpen) => {
        if (isOpen) this.bringUp(operation);
        told.opened(operation, isOpen);
      },
      tried: (tried, place) => {
        told.tried(tried, place);
        this.showAnswer(tried, place);
      },
    });
    this.ui = SwaggerUi({
      domNode: host,
      spec: document,
      plugins: [createLayout(document), withoutKeyForms, foldingCurl, plainExtensions, filtering, telling],
      layout: 'ConsoleLayout',
      // Its own links would take the address that the console's screens stand in.
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
        this.putBodies();
        ready();
      },
      requestInterceptor: (request) => {
        if (new URL(request.url, location.href).origin === location.origin) return request;
        throw new Error('The console sends requests to its own sandbox alone.');
      },
    });
  }

  /** What was typed before stands there again. */
  private putBodies(): void {
    const { setRequestBodyValue, setRetainRequestBodyValueFlag } = this.ui.oas3Actions;
    for (const { pathMethod, value } of requestBodies.get().values()) {
      setRequestBodyValue({ pathMethod, value });
      // Without it the choice of the media type, as it comes up, takes the body away.
      setRetainRequestBodyValueFlag({ pathMethod, value: true });
    }
  }

  setKey(key: string): void {
    for (const scheme of keySchemes(this.document)) this.ui.preauthorizeApiKey(scheme, key);
  }

  /** Opens an operation and brings it into sight. Gives back whether there is one. */
  open(operation: string): boolean {
    const tag = tagOf(this.document, operation);
    if (tag === undefined) return false;
    this.ui.layoutActions.show(['operations-tag', tag], true);
    this.ui.layoutActions.show(['operations', tag, operation], true);
    return true;
  }

  /** Brings the head of an operation to the top, once all of it is there. */
  private bringUp(operation: string): void {
    const block = blockOf(operation);
    this.once(`${block} .responses-wrapper`, () => this.host.querySelector(block)?.scrollIntoView({ block: 'start' }));
  }

  /** Brings the answer into sight. The button that was pressed is no more: its focus goes to the answer. */
  private showAnswer({ is }: Tried, place: Place): void {
    const operation = operationAt(this.document, place);
    if (is === 'sent' || operation === undefined) return;
    this.once(`${blockOf(operation)} .live-responses-table`, (table) => {
      const heading = table.previousElementSibling as HTMLElement;
      heading.tabIndex = -1;
      const { activeElement } = document;
      if (activeElement === document.body || activeElement?.matches('.execute')) heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: 'start' });
    });
  }

  /** Calls back as soon as there is such an element; only what was asked for last counts. */
  private once(selector: string, then: (found: Element) => void): void {
    this.observer?.disconnect();
    const look = (): void => {
      const found = this.host.querySelector(selector);
      if (!found) return;
      this.observer?.disconnect();
      then(found);
    };
    this.observer = new MutationObserver(look);
    this.observer.observe(this.host, { childList: true, subtree: true });
    // What is there already may be about to go: it is looked at after the next rendering.
    setTimeout(look);
  }
}

function blockOf(operation: string): string {
  return `.opblock[id$="-${CSS.escape(operation)}"]`;
}
