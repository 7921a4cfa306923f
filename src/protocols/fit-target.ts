// The target that a request is fitted to, and the fitted request.
import type { TargetModel } from './canonical/request.ts'
import type { JsonObject } from './wire/json.ts'

/** The model and the server that a request goes to. */
export interface FitTarget extends Pick<TargetModel, 'model' | 'generation' | 'efforts' | 'server'> {
  /** The gateway wrote the request; without it, the caller's own passes through. */
  readonly is_translated: boolean
}

export interface Fitted {
  /** The very same where nothing has to change. */
  readonly body: JsonObject
  /** Names of what was left out, as the provider's protocol calls it. */
  readonly dropped?: readonly string[]
  /** Names of tools as they are sent, with those that the caller knows. */
  readonly renamed_tools?: ReadonlyMap<string, string>
  /** A field that the server refuses, and that the answer depends on. */
  readonly lost?: string | undefined
  /** An instruction replaces the field for JSON: words around the JSON of a whole answer are removed. */
  readonly asks_json?: boolean
}
