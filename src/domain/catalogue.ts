// Owns the catalogue as the rest of the program sees it: checked, secrets read, prices calculable, models by id.
import type { ImagePrice, TokenPrice } from './prices.ts'
import type { Limits, ProtocolName, Route, ServerConfig } from '../config/schema.ts'

export interface Provider {
  readonly name: string
  readonly protocol: ProtocolName
  /** Without a trailing slash; `simulator` for the vendor in a box. */
  readonly base_url: string
  /** Secrets, already read from the environment. A provider that needs none has one empty key. */
  readonly api_keys: readonly [string, ...string[]]
  readonly headers: Readonly<Record<string, string>>
  readonly first_byte_timeout_ms: number
  readonly idle_timeout_ms: number
  readonly call_timeout_ms: number
  readonly rest_ms: number
}

interface ModelBase {
  readonly id: string
  readonly display_name: string
  readonly retired: boolean
  /** By rising `order`. */
  readonly routes: readonly [Route, ...Route[]]
}

export interface TextModel extends ModelBase {
  readonly kind: 'text'
  readonly context: number
  readonly max_output_tokens: number
  readonly price: TokenPrice
}

export interface EmbeddingModel extends ModelBase {
  readonly kind: 'embedding'
  readonly price: TokenPrice
}

export interface ImageModel extends ModelBase {
  readonly kind: 'image'
  readonly max_n_per_request: number
  /** The most that one attempt at a provider may take, where the provider's own time limit is longer. */
  readonly timeout_ms: number
  /** Sizes that the model can make; undefined where any size up to 2048 by 2048 may be asked of it. */
  readonly sizes: readonly string[] | undefined
  readonly price: ImagePrice
}

export type Model = TextModel | EmbeddingModel | ImageModel

/** One reading of the file; never changed, replaced as a whole when the file changes. */
export interface Catalogue {
  readonly server: ServerConfig
  readonly limits: Limits
  readonly providers: ReadonlyMap<string, Provider>
  readonly models: ReadonlyMap<string, Model>
}
