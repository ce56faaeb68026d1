/** Defines a warning about a valid scenario. */
import type { Path } from '../../diagnostics/yaml-nodes.ts';

/** A warning about the value at a path of the scenario. */
export interface Warning {
  readonly path: Path;
  readonly message: string;
}
