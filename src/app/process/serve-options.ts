// The options of a start, with replacements of clock, network and limits for tests; the parts for plugins; and the started gateway.
import type { Environment } from '../../catalogue/providers.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import type { PostWebhook } from '../../media/webhook-post.ts'
import type { Ledger } from '../../money/ledger/operations.ts'
import type { ProcessLogger } from '../../observe/log.ts'
import type { Tally } from '../../observe/tally.ts'
import type { Registry } from '../../protocols/registry.ts'
import type { Db } from '../../store/db.ts'
import type { Fetch } from '../../upstream/transport.ts'
import type { OpenCatalogue } from './catalogue.ts'
import type { GatewayTiming } from './engine/own-gateway.ts'
import type { createImageTrial } from './image-library.ts'

export interface StartParts {
  data_folder: string
  /** The gateway's address, `address:port`, not in use yet. */
  listen: string
  log: ProcessLogger
  catalogue: () => Catalogue
  now: () => number
  error_answers: Tally
  limits: PluginLimits
  /** Whether the process runs only this gateway, so that its handlers of uncaught errors may be replaced. */
  owns_process: boolean
}

export interface PluginLimits {
  load_limit_ms?: number
  before_limit_ms?: number
}

export interface ServeOptions {
  data_folder: string
  /** The protocols of providers; the built-in ones if absent. */
  protocols?: Registry | undefined
  log: ProcessLogger
  env: Environment
  /** Replaces the catalogue's `[server] listen`. */
  listen?: string | undefined
  /** The last step, when nothing else can fail: the first start creates its demo account here, whose key is shown only once. */
  atLast?: (step: LastStep) => Promise<void>
  /** Start even if a folder of images is missing, and show its images as missing. */
  accept_missing_files?: boolean | undefined
  network?: Fetch
  /** Posts to webhooks; if absent, only to public servers over HTTPS. */
  postWebhook?: PostWebhook
  now?: () => number
  /** Called at named points, at which tests kill the process. */
  probe?: (point: string) => void
  /** Returns the process's memory in use, by which WebSockets are refused; the system's figure if absent. */
  resident_bytes?: () => number
  /** The idle timeout of sockets without a running call. */
  socket_idle_timeout_s?: number | undefined
  /** Tests image decoding if the catalogue has image models. If absent, a failure shows only at the first image. */
  tryImages?: Parameters<typeof createImageTrial>[0]
  plugin_limits?: PluginLimits | undefined
  owns_process?: boolean | undefined
  /** The interval of sweeps. */
  sweep_every_ms?: number | undefined
  /** The timing of heartbeats between gateways of one database. */
  gateway_timing?: GatewayTiming | undefined
  /** Allow other gateways although the files are in a folder: for tests that store no files. */
  accepts_others?: boolean | undefined
  /** The maximum wait of a write for another process's write lock; five seconds if absent. */
  max_busy_wait_ms?: number | undefined
}

export interface LastStep {
  catalogue: Catalogue
  url: URL
  db: Db
  ledger: Ledger
}

export interface StartedGateway {
  url: URL
  catalogue: () => Catalogue
  shared: OpenCatalogue['shared']
  /** Warnings of the catalogue, a line each. */
  warnings: readonly string[]
  /** Reads the catalogue file and the certificate again now. */
  reload(): Promise<void>
  /** Refuses new calls, lets running ones finish within the catalogue's time limit, and closes everything. */
  stop(): Promise<void>
}
