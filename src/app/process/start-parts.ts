// The parts of a start that a plugin may use before anything is changed: there is no gateway yet, and no database.
import type { Catalogue } from '../../domain/catalogue.ts'
import type { ProcessLogger } from '../../observe/log.ts'
import type { Tally } from '../../observe/tally.ts'

export interface StartParts {
  data_folder: string
  /** The gateway's own address, `address:port`; nobody has it yet. */
  listen: string
  log: ProcessLogger
  catalogue: () => Catalogue
  now: () => number
  /** As in `Requests`. */
  error_answers: Tally
  limits: PluginLimits
  /** The process has nothing but this gateway: its ways with errors that nothing catches may be changed. */
  owns_process: boolean
}

/** Times that custom plugins may take, shorter than they are, for tests. */
export interface PluginLimits {
  load_limit_ms?: number
  before_limit_ms?: number
}
