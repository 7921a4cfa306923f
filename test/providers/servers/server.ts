// The interface of a simulated chat completions server: its rules, and the form of its answers and errors.
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import type { Form } from '../openai/answer-form.ts'
import type { Asked, Rule } from '../rule.ts'

export interface Server {
  /** As the catalogue's `server` names it. */
  readonly name: string
  /** In the order in which they are looked at. */
  readonly rules: readonly Rule[]
  /** Whether the model thinks before it answers, as far as its name and the request say. */
  thinks(asked: Asked): boolean
  readonly form: Form
  /** The body of a refusal. */
  errorBody(refusal: Refusal): JsonObject
  /** An error inside a stream that has begun. */
  streamError(refusal: Refusal): JsonObject
}
