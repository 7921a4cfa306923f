// A request made to fit the server that it goes to.
import type { NamedModel } from './named-model.ts'
import type { JsonObject } from './wire/json.ts'

/** Where a request goes. */
export interface Sent extends NamedModel {
  /** The known server behind the provider's address; undefined for all others. */
  readonly server: string | undefined
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
  /** A field that the server refuses, and without which the answer would be another. */
  readonly lost?: string | undefined
  /** JSON is asked for in words in place of a field: a whole answer is freed of what stands around it. */
  readonly asks_json?: boolean
}
