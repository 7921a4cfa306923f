// The interface of a simulated chat completions server: its rules, and the form of its answers and errors.
import type { Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import type { Form } from '../openai/answer-form.ts'
import type { Rule, RuleInput } from '../rule.ts'

export interface Server {
  /** As the catalogue's `server` names it. */
  readonly name: string
  /** In the order of their checks. */
  readonly rules: readonly Rule[]
  /** Whether the model thinks before it answers, by its name and the request. */
  thinks(input: RuleInput): boolean
  readonly form: Form
  /** The body of a refusal. */
  errorBody(refusal: Refusal): JsonObject
  /** An error inside a started stream. */
  streamError(refusal: Refusal): JsonObject
}
