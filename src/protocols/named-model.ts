// A model by its names: the one that its provider calls it by, and the one by which its generation is known.

import type { EffortName } from '../domain/catalogue.ts'

export interface NamedModel {
  /** The provider's own name of it. */
  readonly model: string
  /** The model of the same generation, as the route says; undefined where its own name decides. */
  readonly generation?: string | undefined
  /** The efforts that it takes, rising, as the catalogue says; undefined where its generation tells that. */
  readonly efforts?: readonly EffortName[] | undefined
}

/** The name that tells a model's generation. */
export const knownAs = ({ model, generation }: NamedModel): string => generation ?? model
