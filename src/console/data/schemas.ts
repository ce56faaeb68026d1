/** The types of the control API's answers, for what runs without a browser, too. */
import type { components } from '../../contract/control.gen.ts';

export type Schemas = components['schemas'];
