/** The types of the control API. They are separate from the client so that code without a browser can use them. */
import type { components } from '../../openapi/control.gen.ts';

export type Schemas = components['schemas'];
