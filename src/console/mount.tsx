/** Shows a screen that is written with Preact in a frame that is not yet. */
import { type ComponentType, render } from 'preact';

/** Defines the element that the frame creates for a screen. */
export function defineElement(tag: string, View: ComponentType): void {
  class Mounted extends HTMLElement {
    connectedCallback(): void {
      render(<View />, this);
    }
    disconnectedCallback(): void {
      render(null, this);
    }
  }
  customElements.define(tag, Mounted);
}
