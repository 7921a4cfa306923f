// A chat completion request on its way to fit its server, as each step gets it.
import type { JsonObject } from '../../wire/json.ts'
import type { Taken } from './taken.ts'

/** A request under way to its server: each step gives the next one a changed one. */
export interface Fitting {
  readonly body: JsonObject
  readonly model: string
  readonly taken: Taken
  /** Names of what was left out, as the protocol calls it. */
  readonly dropped: Set<string>
  /** Names of tools as they are sent, with those that the caller knows. */
  readonly renamed_tools: Map<string, string>
}
