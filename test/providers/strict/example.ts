// An example of a rule: a request that it refuses, the refusal, and a neighbour that passes.

export type Body = Record<string, unknown>

/** A request to a simulated provider. */
export interface Call {
  readonly path: string
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

export interface Example {
  /** The rule's name. */
  readonly rule: string
  readonly refused: Call
  /** 400 if absent. */
  readonly status?: number
  /** A part of the answer's JSON text. */
  readonly words: string
  readonly passes: Call
}

export const text = (length: number): string => 'x'.repeat(length)
