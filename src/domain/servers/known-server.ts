// One known server: what people call it, where it is in each protocol that it speaks, how it is shown a key, and what it is named elsewhere.

/** The protocols that known servers speak, by their names in the catalogue. */
export const SERVED_PROTOCOLS = ['openai', 'anthropic', 'gemini'] as const
export type ServedProtocol = (typeof SERVED_PROTOCOLS)[number]

/** The operator's fields of a server beside its name and keys. */
export const SERVER_FIELDS = ['resource', 'region', 'api_version'] as const
export type ServerField = (typeof SERVER_FIELDS)[number]
export type ServerFields = { readonly [Field in ServerField]?: string | undefined }

/** The headers that show a key; `authorization` has it as a bearer. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key'

/** A request on its way to a server, as its path may depend on it. */
export interface ServerCall {
  readonly provider: ServerFields & { readonly base_url: string }
  readonly model: string
  readonly api_key: string
  readonly streams: boolean
}

/** How a server is reached in one protocol. */
export interface Access {
  /** Made of the fields that the server needs. */
  base_url(fields: ServerFields): string
  /** Absent where the key is shown as the protocol's own provider is shown it. */
  readonly key_header?: KeyHeader
  /** The path of a request, where it is not the protocol's own one. */
  pathTo?(path: string, call: ServerCall): string
}

export interface KnownServer {
  readonly title: string
  /** By protocol; the first is spoken where the catalogue names none. */
  readonly speaks: { readonly [Protocol in ServedProtocol]?: Access }
  /** Fields that its address is made of, and fields that it can do without. */
  readonly needs?: readonly ServerField[]
  readonly takes?: readonly ServerField[]
  /** Its models are called by names that the operator gave their deployments. */
  readonly has_deployments?: true
  /** The form of its models' names, where it is not that of other servers. */
  readonly model_form?: string
  /** Hosts of its addresses; absent where people run it themselves, so that only the catalogue can tell. */
  readonly hosts?: RegExp
  /** The port that it listens on where nobody says otherwise. */
  readonly port?: string
  /** It asks for no key unless it is told to. */
  readonly keyless?: true
  /** Addresses at which it also speaks the Responses API: providers there are asked in it. */
  readonly responses_at?: RegExp
  /** The models that are served there; absent for all. */
  readonly responses_models?: RegExp
  /** Its chat completions take and give reasoning, with tools as well, of models whose own provider has that in responses only. */
  readonly reasons_in_chat?: true
  /** Its keys may be the files of Google's service accounts, which are shown as access tokens. */
  readonly takes_accounts?: true
  /** It has no embeddings in its protocols' form. */
  readonly lacks_embeddings?: true
  /** Providers with `base_url = "simulator"` may have it. */
  readonly simulated?: true
  /** Its names in LiteLLM's price list (`litellm_provider`). */
  readonly price_names: readonly string[]
  /** Other names in use: of its company, or of its models. */
  readonly also_called?: readonly string[]
  /** The pages where its keys are made, and where its prices stand, if it has such pages. */
  readonly keys_url?: string
  readonly prices_url?: string
}
