// The parts of a running gateway that a plugin is given, and what a plugin is.
import type { Database } from 'bun:sqlite'
import type { AnyElysia, MergeElysiaInstances } from 'elysia'
import type { Gate } from '../access/gate.ts'
import type { Limiter } from '../access/limits.ts'
import type { ReadRate } from '../access/read-rate.ts'
import type { RandomBytes } from '../access/secret.ts'
import type { Sessions } from '../access/sessions.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { ImageParts } from '../exchange/image/call.ts'
import type { ExchangeParts } from '../exchange/parts.ts'
import type { RunningCalls } from '../exchange/running.ts'
import type { Sockets } from '../http/sockets.ts'
import type { Deeds } from '../idempotency/deeds.ts'
import type { Ledger } from '../ledger/operations.ts'
import type { Library } from '../library/library.ts'
import type { Exposition } from '../observe/exposition.ts'
import type { Logger } from '../observe/log.ts'
import type { Tally } from '../observe/tally.ts'
import type { KeptResponses } from '../responses/store.ts'
import type { Backups } from './backups.ts'
import type { Books } from './books.ts'
import type { Doctor } from './doctor.ts'
import type { CallInside } from './inside.ts'
import type { OwnPlugin } from './own-plugin.ts'

/** The parts of a gateway. Each is injected, none is global: several gateways can run in one process. */
export interface Gateway {
  /** What calls are served over: `servePaid` for paid ones, `within` for all others that hold a place. */
  exchange: ExchangeParts
  gate: Gate
  /** What counts against an account's and a key's limits now. */
  limiter: Limiter
  /** What a key may read at no cost. */
  reads: ReadRate
  /** What the pages of an account may ask. */
  page_calls: ReadRate
  /** The only way to move money. */
  ledger: Ledger
  /** Movements of money by the operator: the same one sent again is done once. */
  deeds: Deeds
  /** The audit of the books, beside the calls. */
  books: Books
  /** Looks for trouble in the folder, the machine and the providers, beside the calls. */
  doctor: Doctor
  /** What Prometheus reads. Calls are counted from the start on, or from the first reading where metrics were off until then. */
  metrics: () => Promise<Exposition>
  /** Requests that were answered with an error, by surface and class. */
  error_answers: Tally
  /** Archives of everything, made beside the calls. */
  backups: Backups
  /** The calls under way, and whether the gateway is stopping. */
  running: RunningCalls
  /** The catalogue in force. It changes while the gateway runs: read it for every call. */
  catalogue: () => Catalogue
  /** The catalogue's file: what it says without its secrets, and how it is changed. */
  configuration: Configuration
  /** Uploaded and produced images. */
  library: Library
  /** What image calls share, on whichever surface: their rate, their memory. */
  images: ImageParts
  /** Responses that callers can continue and read. */
  responses: KeptResponses
  /** Who is signed in to the console, and how they do. */
  sessions: Sessions
  /** For reading; what the console writes goes through `changed` (plugins/console/calls.ts). Money moves by the ledger only. */
  db: Database
  log: Logger
  /** Milliseconds since 1970. */
  now: () => number
  /** For secrets: new keys, tokens of sessions. */
  randomBytes: RandomBytes
  /** The sockets of its server, once it listens. */
  sockets: () => Sockets | null
  /** Serves what a page asks for at a surface's own route, paid by a key that its viewer may use. */
  callInside: CallInside
  /** The plugins of one's own that were loaded, in their order. Filled at the start, once. */
  own_plugins: OwnPlugin[]
  /** `req_…`; `calls` makes one for every call. */
  newRequestId: () => string
  /** Why the gateway takes no calls, in words that anybody may read; undefined while it does. */
  notReady: () => string | undefined
}

/**
 * A surface: it is given the gateway once, and returns its routes as an Elysia instance.
 *
 * - The instance has a name of its own: Elysia drops a second one of the same name silently.
 * - It uses one of `calls`, `openCalls` and `freeCalls` (calls.ts), which see to the key, the request id, and failures in
 *   the surface's shape. Routes throw a GatewayError for what they refuse.
 * - Free routes declare the schemas of their query, params and response, each status included: types of clients, OpenAPI
 *   and the checks follow. Routes that are paid for read their own bytes, and say `parse: 'none'`.
 * - It is listed in plugins/index.ts.
 */
export type Plugin = (gateway: Gateway) => AnyElysia

type InstancesOf<Plugins extends readonly Plugin[]> = {
  -readonly [K in keyof Plugins]: ReturnType<Plugins[K]>
}

/** The type of the application that a list of plugins makes: `treaty<AppOf<…>>` of @elysiajs/eden is a typed client. */
export type AppOf<Plugins extends readonly Plugin[]> = MergeElysiaInstances<InstancesOf<Plugins>>
