// An example of a rule: a request that it refuses, how, and a neighbour of it that passes.

export type Body = Record<string, unknown>

/** A request to a simulated provider. */
export interface Sent {
  readonly path: string
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

export interface Example {
  /** The rule's name. */
  readonly rule: string
  readonly refused: Sent
  /** 400 where it does not say. */
  readonly status?: number
  /** What the answer says, as text of its JSON. */
  readonly words: string
  readonly passes: Sent
}

export const text = (length: number): string => 'x'.repeat(length)
