// A request made to fit the server that it goes to.
import type { TargetModel } from './canonical/request.ts'
import type { JsonObject } from './wire/json.ts'

/** Where a request goes. */
export interface FitTarget extends Pick<TargetModel, 'model' | 'generation' | 'efforts' | 'server'> {
  /** The gateway wrote it; what passes through was written by the caller. */
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
