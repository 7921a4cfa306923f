// The catalogue as the program sees it: checked, secrets read, prices calculable, models by id.

import type { BrandSettings } from './brand.ts'
import type { Limits } from './call-limits.ts'
import type { ImagePrice, ImageTokenPrice, Price, TokenPrice, UnitPrice } from './prices.ts'
import type { KeyHeader, ServerFields } from './servers/known-server.ts'
import type { UnitKind } from './units.ts'

export interface Provider extends ServerFields {
  readonly name: string
  /** The name of a protocol in the registry. */
  readonly protocol: string
  /** A provider of chat completions also speaks responses. */
  readonly responses: boolean
  /** The known server behind the address, as the catalogue names it; simulated providers play it. */
  readonly server?: string | undefined
  /** The header that its server wants the key in. */
  readonly key_header: KeyHeader
  /** Fields that are left out of its text requests: `store`, or `messages.reasoning_content`. */
  readonly drop_fields?: readonly string[] | undefined
  /** Fields that are set in its text requests, as JSON. */
  readonly set_fields?: Readonly<Record<string, unknown>> | undefined
  /** Without a trailing slash; for a simulated provider `simulator`, or `simulator/NAME` where it plays that server. */
  readonly base_url: string
  /** Secrets, already read from the environment. A provider that needs none has one empty key. */
  readonly api_keys: readonly [string, ...string[]]
  /** Where each key stands in the file, from 1; undefined if all of the file's keys are there. */
  readonly key_numbers?: readonly number[]
  readonly headers: Readonly<Record<string, string>>
  readonly first_byte_timeout_ms: number
  readonly idle_timeout_ms: number
  readonly call_timeout_ms: number
  readonly cooldown_ms: number
}

/** The endpoints for text of providers that speak OpenAI's protocols. */
export type Endpoint = 'chat_completions' | 'responses'

/** One way to a model: a provider, and the provider's id of the model. */
export interface Route {
  readonly provider: string
  readonly model: string
  /** Share of the calls among routes of the same `order`. */
  readonly weight: number
  /** Lower is tried first. */
  readonly order: number
  /** The endpoint that is asked, at a provider that speaks more than one; undefined if that depends on the call. */
  readonly endpoint?: Endpoint
  /** The model whose generation this one is, such as `gpt-5.4`, where the provider's id does not tell it. */
  readonly generation?: string
  /** The day on which the provider shuts the model down, as `YYYY-MM-DD`. */
  readonly shutdown_date?: string
  /** The provider's price for the operator, in the form of the model's price; absent if unknown. */
  readonly cost?: Price
}

interface ModelBase {
  readonly id: string
  readonly display_name: string
  /** When it came to be, as callers are told: as the catalogue says, else when the file was last changed. */
  readonly created_at_ms: number
  readonly retired: boolean
  /** The day of its shutdown as callers are told, `YYYY-MM-DD`; absent: that of its routes (`shutdownDateOf`). */
  readonly shutdown_date?: string
  /** By ascending `order`, without those to disabled providers unless all are. */
  readonly routes: readonly [Route, ...Route[]]
  /** Why it cannot be called, for the operator: all of its providers are disabled. Absent where one is not. */
  readonly unavailable?: string
}

/** How much a model can be asked to think, rising. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type EffortName = (typeof EFFORTS)[number]

export interface TextModel extends ModelBase {
  readonly kind: 'text'
  readonly context: number
  readonly max_output_tokens: number
  /** The handling of top-level fields that the caller's protocol does not have. */
  readonly unknown_fields: FieldHandling
  /** The handling of a request that refers to cached content, which only the operator can have created. */
  readonly cached_content: FieldHandling
  /** Whether Claude is asked to cache conversations that are translated to it, where their callers have marked nothing. */
  readonly automatic_caching: boolean
  /** The efforts that it takes, rising; absent where its generation tells that. */
  readonly efforts?: readonly EffortName[]
  /** What it takes beside text; absent where its generation tells that. */
  readonly takes?: readonly TakenMedium[]
  readonly price: TokenPrice
}

/** What a text model may take beside text. */
export const TAKEN_MEDIA = ['images', 'audio', 'files', 'tools'] as const
export type TakenMedium = (typeof TAKEN_MEDIA)[number]

export type FieldHandling = 'pass' | 'refuse'

export interface EmbeddingModel extends ModelBase {
  readonly kind: 'embedding'
  readonly unknown_fields: FieldHandling
  readonly price: TokenPrice
}

export interface ImageModel extends ModelBase {
  readonly kind: 'image'
  readonly max_n_per_request: number
  /** Time limit of one attempt at a provider; the provider's own limit applies where it is shorter. */
  readonly timeout_ms: number
  /** Sizes that the model can make; undefined allows any size up to 2048x2048. */
  readonly sizes: readonly string[] | undefined
  /** Values of `quality` that callers may send beside auto, high, medium and low. */
  readonly qualities: readonly ExtraQuality[]
  /** Whether edits in JSON may name their images in `images`, and a `mask`. */
  readonly edit_images: boolean
  /** The most tokens of one image: what is held for it, where it is priced by tokens. */
  readonly max_tokens_per_image: number
  /** The same of images of some size or quality. The first that matches applies; an undefined field matches any value. */
  readonly bounds: readonly ImageBound[]
  readonly price: ImagePrice | ImageTokenPrice
}

export const EXTRA_QUALITIES = ['xhigh', 'max'] as const
export type ExtraQuality = (typeof EXTRA_QUALITIES)[number]

interface ImageBound {
  readonly size?: string | undefined
  readonly quality?: string | undefined
  readonly max_tokens_per_image: number
}

interface PricedByUnits<K extends UnitKind> extends ModelBase {
  readonly kind: K
  readonly unknown_fields: FieldHandling
  readonly price: UnitPrice
}

export type SpeechModel = PricedByUnits<'speech'>
/** Of transcriptions and translations. */
export type TranscriptionModel = PricedByUnits<'transcription'>
export type ModerationModel = PricedByUnits<'moderation'>
export type RerankModel = PricedByUnits<'rerank'>
/** A model that is priced by units. */
export type UnitModel = SpeechModel | TranscriptionModel | ModerationModel | RerankModel

export type Model = TextModel | EmbeddingModel | ImageModel | UnitModel

/** Whether anybody can call a model at the moment. */
export const isServed = ({ retired, unavailable }: Model): boolean => !retired && unavailable === undefined

/** The prices of some accounts: list prices times factors. */
export interface PriceGroup {
  readonly name: string
  /** As it is written, such as `0.8`. */
  readonly factor: string
  /** Factors of some models in place of it, by model id or pattern. */
  readonly model_factors: Readonly<Record<string, string>>
  /** All models of the catalogue at the prices of the group. A model of factor 1 is the catalogue's own. */
  readonly models: ReadonlyMap<string, Model>
}

export interface ServerSettings {
  /** `address:port` */
  readonly listen: string
  /** The files of a certificate with its chain, and of its key: both or neither. Relative ones are in the data folder. */
  readonly tls_certificate?: string
  readonly tls_key?: string
  readonly public_url?: string
  /** Origins whose pages may call from a browser; `*`: any. */
  readonly cors_origins: readonly string[]
  /** Addresses and CIDR blocks of proxies whose word on the caller's address is taken. */
  readonly trusted_proxies: readonly string[]
  /** Globs of the environment variables that a session of the console may name in the catalogue. */
  readonly env_names: readonly string[]
  readonly log_level: 'debug' | 'info' | 'warn' | 'error'
  readonly on_disconnect: 'cancel' | 'drain'
  readonly drain_timeout_ms: number
  readonly shutdown_timeout_ms: number
  readonly stalled_reader_timeout_ms: number
  /** Answers that are kept for an Idempotency-Key: all of them, and those of one account. */
  readonly kept_answers_mb: number
  readonly kept_answers_mb_per_account: number
  readonly idempotency_keys_per_account: number
  /** The largest whole answer of a provider, as it is once expanded. */
  readonly max_answer_bytes: number
}

/** Storage of responses, so that callers can continue and read them. */
export interface ResponseSettings {
  /** Whether any are kept. */
  readonly store: boolean
  readonly days: number
  /** Of all accounts together, of one, and of one conversation that is continued. */
  readonly max_mb: number
  readonly max_mb_per_account: number
  readonly max_mb_per_conversation: number
}

/** What callers pay for. */
interface BillingSettings {
  /** Whether the caller pays for what arrived of an answer that was interrupted: outcome `broken`. */
  readonly interrupted: 'charge' | 'free'
  /** Who sells, on statements, in several lines. */
  readonly seller?: string
}

/** How long is kept what would grow for ever. Amounts are kept for good. */
interface RetentionSettings {
  /** Days after which the trace of a call is emptied; 0: never. */
  readonly traces: number
}

/** The console: whether it is there, and how long its sessions last. */
export interface ConsoleSettings {
  readonly enabled: boolean
  /** Lets people sign in over plain HTTP from other machines. */
  readonly insecure_http: boolean
  /** From sign-in on, and without a request. */
  readonly session_hours: number
  readonly idle_hours: number
}

/** A part of a bucket at Amazon S3 or a compatible server. */
export interface Bucket {
  readonly bucket: string
  /** Without a trailing slash; undefined for Amazon's own. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Empty, or ends in a slash. */
  readonly prefix: string
  readonly access_key_id: string
  readonly secret_access_key: string
}

/** Where rows and files are kept, in place of the data folder. */
export interface StorageSettings {
  /** The address of a PostgreSQL database, with its password; undefined: a file of SQLite. */
  readonly database: string | undefined
  /** Where images, uploads, kept answers and responses are; undefined: in folders. */
  readonly files: Bucket | undefined
}

/** One version of the file; never changed, replaced as a whole when the file changes. */
export interface Catalogue {
  readonly server: ServerSettings
  readonly limits: Limits
  readonly billing: BillingSettings
  readonly brand: BrandSettings
  readonly responses: ResponseSettings
  readonly retention: RetentionSettings
  readonly console: ConsoleSettings
  readonly storage: StorageSettings
  /** The settings of plugins, by the names of their sections: `defineSection` in catalogue/sections.ts reads them. */
  readonly sections: ReadonlyMap<string, unknown>
  /** The secrets among them. */
  readonly section_secrets: readonly string[]
  /** Without those that are disabled, because an environment variable that they need is not set. */
  readonly providers: ReadonlyMap<string, Provider>
  readonly models: ReadonlyMap<string, Model>
  /** By their names. The models of an account: `modelsFor` in price-groups.ts. */
  readonly price_groups: ReadonlyMap<string, PriceGroup>
}
