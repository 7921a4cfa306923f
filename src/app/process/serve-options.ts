// A start's options, with replacements for the machine's clock, network and limits in tests; its parts for plugins; and the gateway that it starts.
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
  /** The gateway's own address, `address:port`; nobody has it yet. */
  listen: string
  log: ProcessLogger
  catalogue: () => Catalogue
  now: () => number
  error_answers: Tally
  limits: PluginLimits
  /** The process has nothing but this gateway: its ways with errors that nothing catches may be changed. */
  owns_process: boolean
}

export interface PluginLimits {
  load_limit_ms?: number
  before_limit_ms?: number
}

export interface ServeOptions {
  data_folder: string
  /** The protocols that providers may speak; the built-in ones where absent. */
  protocols?: Registry | undefined
  log: ProcessLogger
  env: Environment
  /** Instead of the catalogue's `[server] listen`. */
  listen?: string | undefined
  /** The last step, once nothing else can fail: the first start makes its demo account here, whose key is shown once. */
  atLast?: (step: LastStep) => Promise<void>
  /** Starts although a folder of images is missing, and shows its images as missing. */
  accept_missing_files?: boolean | undefined
  network?: Fetch
  /** Posts to webhooks; to public servers over HTTPS where absent. */
  postWebhook?: PostWebhook
  now?: () => number
  /** Called at named points of the work, where tests end the process. */
  probe?: (point: string) => void
  /** The process's memory in use, by which WebSockets are refused; the system's figure where absent. */
  resident_bytes?: () => number
  /** A socket without a call under way is closed after this much silence. */
  socket_idle_timeout_s?: number | undefined
  /** Tries whether images can be decoded, where the catalogue has models that make them; absent: the first image shows it. */
  tryImages?: Parameters<typeof createImageTrial>[0]
  plugin_limits?: PluginLimits | undefined
  owns_process?: boolean | undefined
  /** How often orphaned holds are looked for. */
  sweep_every_ms?: number | undefined
  /** How the gateways over one database tell that they are alive. */
  gateway_timing?: GatewayTiming | undefined
  /** Serves beside others although its files are in a folder: for tests that store none. */
  accepts_others?: boolean | undefined
  /** How long a write waits for another process's write lock; five seconds where absent. */
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
  /** Reads the catalogue file again, now, and the certificate's. */
  reload(): Promise<void>
  /** Refuses new calls, lets those under way finish within the catalogue's limit, and closes everything. */
  stop(): Promise<void>
}
