// The behaviours that the name of a model asks for: `flash-slow-1500-tokens-40`.

export interface Behaviour {
  readonly draws: boolean
  /** The status that it refuses with. */
  readonly fail?: number
  /** Milliseconds before the answer. */
  readonly slow?: number
  /** Milliseconds between the events of a stream. */
  readonly pace?: number
  /** Tokens of text, within the output limit. */
  readonly tokens?: number
  /** Events after which the connection breaks. */
  readonly break?: number
}

const WORDS = /-(fail|slow|pace|tokens|break)-(\d{1,7})(?=-|$)/g

export function behaviourOf(model: string): Behaviour {
  const numbers = [...model.matchAll(WORDS)].map(([, word = '', number]) => [word, Number(number)])
  return { ...Object.fromEntries(numbers), draws: model.includes('image') }
}
