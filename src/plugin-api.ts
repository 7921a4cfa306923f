// The interface of custom plugins: the exports of a file in `data/plugins/` and its parameters. Imports only types of payment methods.
// `tollgate plugin types` writes both files as `data/plugins/tollgate.d.ts` for editors.
import type { PaymentProvider } from './payment-api.ts'

/** The default export of a plugin: a function, or an object of optional parts. */
export type TollgatePlugin = PluginFunction | PluginDefinition

/**
 * A plugin of routes and hooks. The gateway calls it once, at the start; it registers routes on `app` and hooks on `gateway`.
 * It may return a promise, or its own Elysia instance with further routes. It must finish within 10 seconds.
 */
export type PluginFunction = (handed: PluginParts) => PluginReturn | Promise<PluginReturn>

/** A plugin by its parts. All are optional; the other functions receive what `open` returns as `own`. */
// biome-ignore lint/suspicious/noExplicitAny: a plugin may name its own types
export interface PluginDefinition<Own = any, Settings = any> {
  /**
   * The schema of its settings, [plugins.NAME] in tollgate.toml, where NAME is its file without `.ts`. With a mistake in them the gateway
   * does not start. After a later edit with a mistake the last valid settings stay in use, and the log has the reason.
   * `"env:NAME"` reads an environment variable.
   */
  settings?: (t: PluginSchemas) => object
  /** Called once, at the start; must finish within 10 seconds. Call `settings` at each use: the file may change. */
  open?: (parts: PluginParts, settings: () => Settings) => Own | Promise<Own>
  /** Registers routes on `app`, or returns an Elysia instance with them. */
  routes?: (own: Own, parts: PluginParts) => PluginReturn | Promise<PluginReturn>
  /** A hook, as for `gateway.beforeCall`. */
  before_call?: (own: Own, call: PluginCall) => BeforeCallReturn | Promise<BeforeCallReturn>
  /** Event listeners. No call waits for them. `settled` works as `gateway.afterSettle`. */
  on?: { readonly [Name in keyof PluginEvents]?: (own: Own, event: PluginEvents[Name]) => unknown }
  /**
   * Payment methods, offered to accounts in addition to the built-in ones. Called once, at the start, after `open`. Their providers
   * report to `/payments/NAME/webhook`, where NAME is the method's name. The gateway checks each answer; an invalid one credits nothing.
   * `tollgate plugin check` tests them.
   */
  payments?: (own: Own, parts: PluginParts) => readonly PaymentProvider[]
  /** Work that runs every minute. A failure is logged; the next minute tries again. */
  sweeps?: readonly { name: string; sweep: (own: Own) => unknown }[]
  checks?: readonly PluginCheck<Own>[]
  /** Commands by name, run as `tollgate x NAME COMMAND`. Such a command loads this plugin only, and does not call `open`. */
  commands?: Readonly<Record<string, PluginCommand<Settings>>>
  /** Called after the last call, at a stop. */
  close?: (own: Own) => unknown
}

export interface PluginEvents {
  /** The gateway takes calls. */
  started: undefined
  settled: PluginRecord
  /** A request with an API key was refused before it cost anything. */
  refused: PluginRefusedRequest
  /** The gateway accepts no further calls; running calls continue. */
  stopping: undefined
}

export interface PluginCheck<Own> {
  name: string
  /**
   * `start`: with a finding the gateway does not start. `alert`: runs each minute and raises an alert while there is a finding. `ready`: runs
   * every few seconds; with a finding `/readyz` answers 503 with `found`, which is public. `tollgate plugin check` shows all of them.
   */
  when: readonly ('start' | 'alert' | 'ready')[]
  /** @returns a finding, or nothing if all is well */
  look: (own: Own) => PluginFinding | null | undefined | Promise<PluginFinding | null | undefined>
}

export interface PluginFinding {
  /** The problem, as a sentence without its full stop. */
  found: string
  /** The fix, as a sentence. */
  advice: string
}

export interface PluginCommand<Settings> {
  /** Its line in the list of commands. */
  summary: string
  /** @returns the text to print, a value to print as JSON, or nothing. An exception ends the command with status 1 */
  run: (parts: PluginCommandParts<Settings>) => unknown
}

export interface PluginCommandParts<Settings> {
  /** The arguments after the command's name. */
  args: readonly string[]
  settings: Settings
  /** As `PluginGateway.folder`. */
  folder: string
  /** Writes a line to standard output. */
  print(line: string): void
}

/** A request that was refused before it cost anything. */
export interface PluginRefusedRequest {
  readonly request_id: string
  /** The IDs of its account and key. */
  readonly account_id: number
  readonly key_id: number
  readonly surface: string
  readonly model: string | undefined
  readonly status: number
  /** The kind of refusal, such as `model_not_found`. */
  readonly code: string
  readonly message: string
}

// biome-ignore lint/suspicious/noConfusingVoidType: a plugin need not return anything
type PluginReturn = PluginApp | void

export interface PluginParts {
  /**
   * The plugin's routes. Their paths may not begin as the gateway's do (`/v1`, `/api` …). They are public: a route that requires
   * an API key calls `gateway.authenticate`.
   */
  app: PluginApp
  /** The Elysia class, to create instances with further routes: https://elysiajs.com */
  Elysia: PluginElysia
  /** Elysia's schema builder (TypeBox): `t.Object({ name: t.String() })`. */
  t: PluginSchemas
  gateway: PluginGateway
}

export interface PluginGateway {
  /** The version of Tollgate. */
  readonly version: string
  /**
   * The absolute path of the plugins folder, for a plugin's input files and its state. Backups contain the whole folder:
   * an SQLite database as a consistent snapshot, other files as they are when they are read.
   */
  readonly folder: string
  /** Writes to the gateway's log. The plugin's name is added, and known secrets are hidden. */
  readonly log: PluginLog
  /** The models that the catalogue serves now. */
  models(): readonly PluginModel[]
  /**
   * Returns the account and API key of a request to the plugin's route. The key is read from `Authorization: Bearer`, `x-api-key`, `api-key`
   * or `x-litellm-api-key`, checked as on the gateway's free routes, and counts against `reads_per_minute`. Only for requests of routes.
   *
   * @throws (as a rejection) an error that the route must not catch: its caller gets 401 without a valid key, 403 if the account is suspended
   * or the key is not allowed from that network, 429 over the limit
   */
  authenticate(request: Request): Promise<PluginCaller>
  /**
   * Registers a hook that receives each call after its key and limits were checked, and before its price is quoted and money
   * is held. Hooks run one after the other, in the order of their plugins' names, then of their registration.
   *
   * A hook has 2 seconds. If it takes longer or throws, the call is refused with 500, nothing is charged, and the log has the reason.
   */
  beforeCall(hook: BeforeCall): void
  /**
   * Registers a hook that receives a record of each settled call, charged or not. No call waits for it: records wait in a queue
   * of at most 1,000, of which 8 are processed at once, for at most 60 seconds each.
   */
  afterSettle(hook: AfterSettle): void
}

/** The account and key of a request. */
export interface PluginCaller {
  /** The ID stays when the account is renamed. */
  readonly account: { readonly id: number; readonly name: string }
  readonly key: PluginKey
}

export interface PluginLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

export interface PluginModel {
  readonly id: string
  readonly display_name: string
  /** text, image, embedding, speech, transcription, moderation or rerank */
  readonly kind: string
}

/** @returns nothing to let the call continue unchanged */
export type BeforeCall = (call: PluginCall) => BeforeCallReturn | Promise<BeforeCallReturn>

// biome-ignore lint/suspicious/noConfusingVoidType: a hook need not return anything
type BeforeCallReturn = BeforeCallAnswer | undefined | void

export type BeforeCallAnswer =
  /** `body` replaces the request's body: the new one is checked, quoted and sent. */
  { body: object } | { refuse: PluginRefusal }

export interface PluginRefusal {
  /** 403 if absent. A surface may use another status that its clients expect for this kind of error. */
  status?: 400 | 401 | 402 | 403 | 404 | 409 | 413 | 422 | 429
  /** For the caller: the problem and the fix. */
  message: string
}

/** A call before its price is known. It is read-only: to change the request, a hook returns another body. */
export interface PluginCall {
  readonly request_id: string
  /** The name of the account. */
  readonly account: string
  readonly key: PluginKey
  /** native, messages, chat, responses, completions, embeddings, images, speech, transcriptions, translations … */
  readonly surface: string
  /** The path of the request, without its query. */
  readonly path: string
  /** Headers by lower-case name, without those that carry a credential. */
  readonly headers: Readonly<Record<string, string>>
  /** The requested model; undefined if the request names none. */
  readonly model: string | undefined
  /**
   * All texts of the request that a model may read, in every protocol, each on its own lines: at most a million
   * characters. The content of files, images and audio is not included.
   */
  readonly text: string
  /** Whether `text` was cut at that length. */
  readonly text_is_cut: boolean
  /** The JSON body; undefined for a form. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** The fields of a form, without its files; undefined for JSON. A form can be refused, but not changed. */
  readonly form: Readonly<Record<string, readonly string[]>> | undefined
}

export interface PluginKey {
  /** The ID stays when the key is renamed. */
  readonly id: number
  /** The beginning of the key, as shown in lists. */
  readonly prefix: string
  readonly name: string
}

export type AfterSettle = (record: PluginRecord) => unknown

/** A call that was settled. */
export interface PluginRecord {
  readonly request_id: string
  readonly account: string
  readonly key: PluginKey
  readonly surface: string
  readonly model: string
  /** The provider that served it; empty if none did. */
  readonly provider: string
  readonly upstream_model: string
  readonly outcome: 'completed' | 'cancelled' | 'broken' | 'failed'
  /** The HTTP status that the caller got. */
  readonly status: number
  readonly streamed: boolean
  readonly usage: PluginUsage
  /** Whether the usage is the gateway's own estimate. */
  readonly estimated: boolean
  /** The charge, in billionths of a US dollar. */
  readonly cost_nanos: number
  /** Milliseconds since 1970. */
  readonly started_at_ms: number
  /** From the start; null if no byte arrived. */
  readonly first_byte_ms: number | null
  readonly duration_ms: number
}

export interface PluginUsage {
  readonly input_tokens: number
  readonly input_audio_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_5m_tokens: number
  readonly cache_write_1h_tokens: number
  /** Without thinking. */
  readonly output_tokens: number
  readonly thinking_tokens: number
  readonly output_image_tokens: number
  readonly images: number
}

/** The part of Elysia's application that plugins use. `bun add -d elysia` in the folder installs the complete types. */
export interface PluginApp {
  get(path: string, handler: PluginHandler, options?: object): PluginApp
  post(path: string, handler: PluginHandler, options?: object): PluginApp
  put(path: string, handler: PluginHandler, options?: object): PluginApp
  patch(path: string, handler: PluginHandler, options?: object): PluginApp
  delete(path: string, handler: PluginHandler, options?: object): PluginApp
  all(path: string, handler: PluginHandler, options?: object): PluginApp
}

export type PluginElysia = new (options?: object) => PluginApp

/** An Elysia handler, or a constant answer. */
export type PluginHandler = string | number | object | ((request: PluginRequest) => unknown)

export interface PluginRequest {
  request: Request
  /** Parsed, and checked against the route's schema if it has one. */
  // biome-ignore lint/suspicious/noExplicitAny: the route's schema determines its type
  body: any
  query: Record<string, string>
  params: Record<string, string>
  headers: Record<string, string | undefined>
  set: { status?: number | string; headers: Record<string, string> }
}

// biome-ignore lint/suspicious/noExplicitAny: each builder has its own parameters
export type PluginSchemas = Readonly<Record<string, (...of: any[]) => object>>
