// A model by its names: the one that its provider calls it by, and the one by which its generation is known.

export interface NamedModel {
  /** The provider's own name of it. */
  readonly model: string
  /** The model whose generation it is, as its route says; undefined where its own name tells that. */
  readonly generation?: string | undefined
}

/** The name that tells a model's generation. */
export const knownAs = ({ model, generation }: NamedModel): string => generation ?? model
