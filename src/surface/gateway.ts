// What a plugin is handed: the parts of a running gateway, each injected, none global.
import type { Database } from 'bun:sqlite'
import type { AnyElysia } from 'elysia'
import type { Gate } from '../access/gate.ts'
import type { Limiter } from '../access/limits.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { ExchangeParts } from '../exchange/parts.ts'
import type { RunningCalls } from '../exchange/running.ts'
import type { Ledger } from '../ledger/operations.ts'
import type { Library } from '../library/library.ts'
import type { Logger } from '../observe/log.ts'

export interface Gateway {
  /** What calls are served over: `servePaid` for paid ones, `within` for all others that hold a place. */
  exchange: ExchangeParts
  gate: Gate
  limiter: Limiter
  ledger: Ledger
  running: RunningCalls
  catalogue: () => Catalogue
  /** Uploaded and produced images. */
  library: Library
  /** For reading; whatever moves money goes through the ledger. */
  db: Database
  log: Logger
  now: () => number
  newRequestId: () => string
  /** Whether the checks at start are done and the gateway takes calls. */
  ready: () => boolean
}

/** One surface. Each has a name and a seed of its own: Elysia drops a second plugin of the same name silently. */
export type Plugin = (gateway: Gateway) => AnyElysia
