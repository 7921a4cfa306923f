// The catalogue as the program uses it: checked, secrets read, prices calculable, models by ID.

import type { BrandSettings } from './brand.ts'
import type { Limits } from './call-limits.ts'
import type { ImagePrice, ImageTokenPrice, Price, TokenPrice, UnitPrice } from './prices.ts'
import type { KeyHeader, ServerFields } from './servers/known-server.ts'
import type { UnitKind } from './units.ts'

export interface Provider extends ServerFields {
  readonly name: string
  /** The name of a protocol in the registry. */
  readonly protocol: string
  /** Whether a provider of chat completions also serves the Responses API. */
  readonly responses: boolean
  /** The known server at this address, by its name in the catalogue; simulated providers imitate it. */
  readonly server?: string | undefined
  /** The header in which its server expects the key. */
  readonly key_header: KeyHeader
  /** Fields to remove from its text requests, such as `store` or `messages.reasoning_content`. */
  readonly drop_fields?: readonly string[] | undefined
  /** Fields to set in its text requests, as JSON. */
  readonly set_fields?: Readonly<Record<string, unknown>> | undefined
  /** Without a trailing slash; for a simulated provider `simulator`, or `simulator/NAME` to imitate that server. */
  readonly base_url: string
  /** Secrets, already read from the environment. A provider without a key has one empty key. */
  readonly api_keys: readonly [string, ...string[]]
  /** The position of each key in the file, from 1; undefined if all of the file's keys are present. */
  readonly key_numbers?: readonly number[]
  readonly headers: Readonly<Record<string, string>>
  readonly first_byte_timeout_ms: number
  readonly idle_timeout_ms: number
  readonly call_timeout_ms: number
  readonly cooldown_ms: number
}

/** The text endpoints of providers with OpenAI's protocols. */
export type Endpoint = 'chat_completions' | 'responses'

/** A provider of a model, with the provider's ID of the model. */
export interface Route {
  readonly provider: string
  readonly model: string
  /** Share of the calls among routes of the same `order`. */
  readonly weight: number
  /** Lower values are tried first. */
  readonly order: number
  /** The endpoint to call, at a provider with several; undefined if it depends on the call. */
  readonly endpoint?: Endpoint
  /** A known model with the same properties, such as `gpt-5.4`, if the provider's ID does not show it. */
  readonly generation?: string
  /** The day on which the provider shuts the model down, as `YYYY-MM-DD`. */
  readonly shutdown_date?: string
  /** The provider's price for the operator, in the form of the model's price; absent if unknown. */
  readonly cost?: Price
}

interface ModelBase {
  readonly id: string
  readonly display_name: string
  /** The creation time that callers see: the catalogue's, otherwise the file's last change. */
  readonly created_at_ms: number
  readonly retired: boolean
  /** The shutdown day that callers see, `YYYY-MM-DD`; if absent, that of its routes (`shutdownDateOf`). */
  readonly shutdown_date?: string
  /** By ascending `order`, without disabled providers unless all are disabled. */
  readonly routes: readonly [Route, ...Route[]]
  /** The reason for the operator why it cannot be called: all its providers are disabled. Absent otherwise. */
  readonly unavailable?: string
}

/** Levels of reasoning effort, ascending. */
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
  /** Whether to request caching by Claude for translated conversations in which the caller has set no cache marks. */
  readonly automatic_caching: boolean
  /** The supported efforts, ascending; if absent, its generation determines them. */
  readonly efforts?: readonly EffortName[]
  /** The supported inputs besides text; if absent, its generation determines them. */
  readonly takes?: readonly InputMedium[]
  readonly price: TokenPrice
}

/** The possible inputs of a text model besides text. */
export const INPUT_MEDIA = ['images', 'audio', 'files', 'tools'] as const
export type InputMedium = (typeof INPUT_MEDIA)[number]

export type FieldHandling = 'pass' | 'refuse'

export interface EmbeddingModel extends ModelBase {
  readonly kind: 'embedding'
  readonly unknown_fields: FieldHandling
  readonly price: TokenPrice
}

export interface ImageModel extends ModelBase {
  readonly kind: 'image'
  readonly max_n_per_request: number
  /** The time limit of one attempt at a provider; a shorter limit of the provider takes precedence. */
  readonly timeout_ms: number
  /** Supported sizes; undefined allows any size up to 2048x2048. */
  readonly sizes: readonly string[] | undefined
  /** Values of `quality` that callers may send in addition to auto, high, medium and low. */
  readonly qualities: readonly ExtraQuality[]
  /** Whether edits in JSON may name their images in `images`, and a `mask`. */
  readonly edit_images: boolean
  /** The maximum tokens of one image, which determine its hold if it is priced by tokens. */
  readonly max_tokens_per_image: number
  /** Different maximums by size or quality. The first match applies; an undefined field matches any value. */
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
/** A model for transcriptions and translations. */
export type TranscriptionModel = PricedByUnits<'transcription'>
export type ModerationModel = PricedByUnits<'moderation'>
export type RerankModel = PricedByUnits<'rerank'>
/** A model that is priced by units. */
export type UnitModel = SpeechModel | TranscriptionModel | ModerationModel | RerankModel

export type Model = TextModel | EmbeddingModel | ImageModel | UnitModel

/** Whether a model can be called now. */
export const isServed = ({ retired, unavailable }: Model): boolean => !retired && unavailable === undefined

/** The prices of some accounts: list prices times factors. */
export interface PriceGroup {
  readonly name: string
  /** As written in the file, such as `0.8`. */
  readonly factor: string
  /** Different factors for some models, by model ID or pattern. */
  readonly model_factors: Readonly<Record<string, string>>
  /** All models of the catalogue at the group's prices. With factor 1 it is the catalogue's object itself. */
  readonly models: ReadonlyMap<string, Model>
}

export interface ServerSettings {
  /** `address:port` */
  readonly listen: string
  /** The files of a certificate chain and of its key: both or neither. Relative paths are in the data folder. */
  readonly tls_certificate?: string
  readonly tls_key?: string
  readonly public_url?: string
  /** Origins whose pages may call from a browser; `*` for any. */
  readonly cors_origins: readonly string[]
  /** Addresses and CIDR blocks of proxies whose forwarding headers are trusted. */
  readonly trusted_proxies: readonly string[]
  /** Glob patterns of the environment variables that a console session may name in the catalogue. */
  readonly env_names: readonly string[]
  readonly log_level: 'debug' | 'info' | 'warn' | 'error'
  readonly on_disconnect: 'cancel' | 'drain'
  readonly drain_timeout_ms: number
  readonly shutdown_timeout_ms: number
  readonly stalled_reader_timeout_ms: number
  /** The maximum size of answers kept for idempotency keys: in all, and per account. */
  readonly kept_answers_mb: number
  readonly kept_answers_mb_per_account: number
  readonly idempotency_keys_per_account: number
  /** The maximum size of a provider's non-streamed answer after decompression. */
  readonly max_answer_bytes: number
}

/** Storage of responses, so that callers can continue and read them. */
export interface ResponseSettings {
  /** Whether responses are kept. */
  readonly store: boolean
  readonly days: number
  /** Maximum sizes: of all accounts together, of one account, of one conversation. */
  readonly max_mb: number
  readonly max_mb_per_account: number
  readonly max_mb_per_conversation: number
}

interface BillingSettings {
  /** Whether the caller pays for the received part of an interrupted answer: outcome `broken`. */
  readonly interrupted: 'charge' | 'free'
  /** The seller's name and address on statements, of several lines. */
  readonly seller?: string
}

/** Retention of data that would grow without limit. Amounts are kept permanently. */
interface RetentionSettings {
  /** Days after which the trace of a call is emptied; 0 for never. */
  readonly traces: number
}

export interface ConsoleSettings {
  readonly enabled: boolean
  /** Whether people may sign in over plain HTTP from other machines. */
  readonly insecure_http: boolean
  /** The maximum age of a session, and the maximum time without a request. */
  readonly session_hours: number
  readonly idle_hours: number
}

/** A part of a bucket at Amazon S3 or a compatible server. */
export interface Bucket {
  readonly bucket: string
  /** Without a trailing slash; undefined for Amazon S3. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Empty, or ends in a slash. */
  readonly prefix: string
  readonly access_key_id: string
  readonly secret_access_key: string
}

/** The places of rows and files, if not the data folder. */
export interface StorageSettings {
  /** The URL of a PostgreSQL database, with its password; undefined for an SQLite file. */
  readonly database: string | undefined
  /** The bucket of images, uploads, kept answers and responses; undefined for folders. */
  readonly files: Bucket | undefined
}

/** One version of the file. It is immutable, and replaced as a whole when the file changes. */
export interface Catalogue {
  readonly server: ServerSettings
  readonly limits: Limits
  readonly billing: BillingSettings
  readonly brand: BrandSettings
  readonly responses: ResponseSettings
  readonly retention: RetentionSettings
  readonly console: ConsoleSettings
  readonly storage: StorageSettings
  /** The settings of plugins by section name, read through `defineSection` (catalogue/sections.ts). */
  readonly sections: ReadonlyMap<string, unknown>
  /** The secrets among these settings. */
  readonly section_secrets: readonly string[]
  /** Without disabled providers, which lack an environment variable. */
  readonly providers: ReadonlyMap<string, Provider>
  readonly models: ReadonlyMap<string, Model>
  /** By name. `modelsFor` in price-groups.ts returns the models of an account. */
  readonly price_groups: ReadonlyMap<string, PriceGroup>
}
