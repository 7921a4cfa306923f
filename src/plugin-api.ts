// The interface of custom plugins: what a file in `data/plugins/` exports, and what it is handed. Imports only types of payment methods.
// `tollgate plugin types` writes both files as `data/plugins/tollgate.d.ts`, so that editors know them, too.
import type { PaymentProvider } from './payment-api.ts'

/** The default export of a plugin: a function, or a definition of all that it has. */
export type TollgatePlugin = PluginFunction | PluginDefinition

/**
 * A plugin of routes and hooks. It is called once, at the start, and registers routes on `app` and hooks on `gateway`.
 * It may return a promise, or an Elysia instance of its own with further routes. It has 10 seconds.
 */
export type PluginFunction = (handed: PluginParts) => PluginReturn | Promise<PluginReturn>

/** A plugin by its parts. All are optional; `open` makes the running part that the others get as `own`. */
// biome-ignore lint/suspicious/noExplicitAny: a plugin names its own types, or leaves them out
export interface PluginDefinition<Own = any, Settings = any> {
  /**
   * The schema of its settings, [plugins.NAME] in tollgate.toml, where NAME is its file without `.ts`. A mistake in them refuses the start;
   * later the last good ones stay in use, and the log has why. `"env:NAME"` reads an environment variable.
   */
  settings?: (t: PluginSchemas) => object
  /** Makes the running part, once, at the start, within 10 seconds. Call `settings` for each use: the file may change. */
  open?: (parts: PluginParts, settings: () => Settings) => Own | Promise<Own>
  /** Registers routes on `app`, or returns an Elysia instance with them. */
  routes?: (own: Own, parts: PluginParts) => PluginReturn | Promise<PluginReturn>
  /** A hook as of `gateway.beforeCall`. */
  before_call?: (own: Own, call: PluginCall) => BeforeCallReturn | Promise<BeforeCallReturn>
  /** Its listeners to events. No call waits for them. `settled` is as `gateway.afterSettle`. */
  on?: { readonly [Name in keyof PluginEvents]?: (own: Own, event: PluginEvents[Name]) => unknown }
  /**
   * Payment methods, which accounts choose from with the built-in ones. It is called once, at the start, after `open`. Their providers
   * report to `/payments/NAME/webhook`, where NAME is that of the method. Each answer is checked, and what does not fit credits nothing.
   * `tollgate plugin check` tries them.
   */
  payments?: (own: Own, parts: PluginParts) => readonly PaymentProvider[]
  /** Work of every minute. A failure is logged, and the next minute tries again. */
  sweeps?: readonly { name: string; sweep: (own: Own) => unknown }[]
  checks?: readonly PluginCheck<Own>[]
  /** `tollgate x NAME COMMAND`, by their names. Such a command loads this plugin alone, and does not open it. */
  commands?: Readonly<Record<string, PluginCommand<Settings>>>
  /** Ends the running part, after the last call. */
  close?: (own: Own) => unknown
}

export interface PluginEvents {
  /** The gateway takes calls. */
  started: undefined
  settled: PluginRecord
  /** A request with an API key was refused before it cost anything. */
  refused: PluginRefusedRequest
  /** The gateway takes no further calls; those under way go on. */
  stopping: undefined
}

export interface PluginCheck<Own> {
  name: string
  /**
   * `start`: what is found refuses the start. `alert`: looked at each minute, and an alert while something is found. `ready`: looked at
   * every few seconds; `/readyz` answers 503 with `found`, which anybody may read. `tollgate plugin check` shows all of them.
   */
  when: readonly ('start' | 'alert' | 'ready')[]
  /** @returns nothing while all is well */
  look: (own: Own) => PluginFinding | null | undefined | Promise<PluginFinding | null | undefined>
}

export interface PluginFinding {
  /** What is wrong, as a sentence without its full stop. */
  found: string
  /** What to do about it, as a sentence. */
  advice: string
}

export interface PluginCommand<Settings> {
  /** For the list of commands. */
  summary: string
  /** @returns what is printed: a text, or a value as JSON; nothing where it printed itself. What it throws ends the command with status 1 */
  run: (parts: PluginCommandParts<Settings>) => unknown
}

export interface PluginCommandParts<Settings> {
  /** What follows the command's name. */
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
  /** The numbers of its account and key. */
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
   * Routes of the plugin's own. They may not begin as the gateway's own do (`/v1`, `/api` …), and anybody may call them: a route
   * that is for those who have an API key asks `gateway.authenticate`.
   */
  app: PluginApp
  /** The class of Elysia, for instances with routes of their own: https://elysiajs.com */
  Elysia: PluginElysia
  /** Elysia's schemas, which are TypeBox's: `t.Object({ name: t.String() })`. */
  t: PluginSchemas
  gateway: PluginGateway
}

export interface PluginGateway {
  /** The version of Tollgate. */
  readonly version: string
  /**
   * The folder of the plugins, for files that a plugin reads, and for those that it keeps its state in: an absolute path.
   * All of it is in backups: a database of SQLite as it is at one moment, other files as they are when they are read.
   */
  readonly folder: string
  /** Writes to the gateway's log. The plugin's name is added, and known secrets are hidden. */
  readonly log: PluginLog
  /** The models that the catalogue serves now. */
  models(): readonly PluginModel[]
  /**
   * Whose API key a request of the plugin's route carries, as `Authorization: Bearer`, `x-api-key`, `api-key` or `x-litellm-api-key`. It is
   * looked at as on the gateway's free routes, and counts against `reads_per_minute`. For routes only: there are no callers while a plugin loads.
   *
   * @throws (as a rejection) an error that the route lets pass: its caller gets 401 without a key that works, 403 if the account is suspended
   * or the key may not be used from there, 429 over the limit
   */
  authenticate(request: Request): Promise<PluginCaller>
  /**
   * Registers a hook that sees each call after its key and limits were checked, and before its price is quoted and money
   * held. Hooks run one after the other: by the names of their plugins, then as they were registered.
   *
   * It has 2 seconds. Where it takes longer or throws, the call is refused with 500, nothing is charged, and the log has why.
   */
  beforeCall(hook: BeforeCall): void
  /**
   * Registers a hook that is told about each call that was settled, charged or not. No call waits for it: what is told stands
   * in a queue of at most 1,000 records, 8 of which are worked on at once, for at most 60 seconds each.
   */
  afterSettle(hook: AfterSettle): void
}

/** Whose key a request carries. */
export interface PluginCaller {
  /** Its number stays, whatever it is called. */
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

/** @returns nothing if the call goes on as it is */
export type BeforeCall = (call: PluginCall) => BeforeCallReturn | Promise<BeforeCallReturn>

// biome-ignore lint/suspicious/noConfusingVoidType: a hook need not return anything
type BeforeCallReturn = BeforeCallAnswer | undefined | void

export type BeforeCallAnswer =
  /** Replaces the request's body: this one is checked, quoted, held for and sent. */
  { body: object } | { refuse: PluginRefusal }

export interface PluginRefusal {
  /** 403 if absent. A surface may write it as the status by which its clients know this kind of error. */
  status?: 400 | 401 | 402 | 403 | 404 | 409 | 413 | 422 | 429
  /** For the caller: what is wrong, and what to do. */
  message: string
}

/** A call before its price is known. None of it can be changed: a hook returns another body. */
export interface PluginCall {
  readonly request_id: string
  /** The name of the account. */
  readonly account: string
  readonly key: PluginKey
  /** native, messages, chat, responses, completions, embeddings, images, speech, transcriptions, translations … */
  readonly surface: string
  /** The path of the request, without its query. */
  readonly path: string
  /** By their names in lower case. Those that carry a credential are left out. */
  readonly headers: Readonly<Record<string, string>>
  /** The model that is asked for; undefined if the request names none. */
  readonly model: string | undefined
  /**
   * All texts of the request that a model may read, a line or more each, whatever the protocol: at most a million
   * characters. What is inside files, images and audio is not among it.
   */
  readonly text: string
  /** Whether there is more text than that. */
  readonly text_is_cut: boolean
  /** The JSON body; undefined for a form. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** The fields of a form, without its files; undefined for JSON. A form can be refused, but not changed. */
  readonly form: Readonly<Record<string, readonly string[]>> | undefined
}

export interface PluginKey {
  /** Its number, which stays whatever it is called. */
  readonly id: number
  /** The beginning of the key, by which it is listed. */
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
  /** Who served it; empty if nobody did. */
  readonly provider: string
  readonly upstream_model: string
  readonly outcome: 'completed' | 'cancelled' | 'broken' | 'failed'
  /** The HTTP status that the caller got. */
  readonly status: number
  readonly streamed: boolean
  readonly usage: PluginUsage
  /** Whether the usage is the gateway's own estimate. */
  readonly estimated: boolean
  /** What was charged, in billionths of a US dollar. */
  readonly cost_nanos: number
  /** Milliseconds since 1970. */
  readonly started_at_ms: number
  /** From the start; null if no byte came. */
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

/** What a plugin uses of Elysia's application. `bun add -d elysia` in the folder brings the whole types. */
export interface PluginApp {
  get(path: string, handler: PluginHandler, options?: object): PluginApp
  post(path: string, handler: PluginHandler, options?: object): PluginApp
  put(path: string, handler: PluginHandler, options?: object): PluginApp
  patch(path: string, handler: PluginHandler, options?: object): PluginApp
  delete(path: string, handler: PluginHandler, options?: object): PluginApp
  all(path: string, handler: PluginHandler, options?: object): PluginApp
}

export type PluginElysia = new (options?: object) => PluginApp

/** A handler of Elysia's, or a value that is always answered. */
export type PluginHandler = string | number | object | ((request: PluginRequest) => unknown)

export interface PluginRequest {
  request: Request
  /** Parsed, and checked by the route's schema where it has one. */
  // biome-ignore lint/suspicious/noExplicitAny: its type is what the route's schema says
  body: any
  query: Record<string, string>
  params: Record<string, string>
  headers: Record<string, string | undefined>
  set: { status?: number | string; headers: Record<string, string> }
}

// biome-ignore lint/suspicious/noExplicitAny: each makes a schema of its own type
export type PluginSchemas = Readonly<Record<string, (...of: any[]) => object>>
