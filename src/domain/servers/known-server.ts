// The description of a known server: its title, its URL in each protocol, its key header, and its other names.

/** The protocols of known servers, by their names in the catalogue. */
export const SERVED_PROTOCOLS = ['openai', 'anthropic', 'gemini'] as const
export type ServedProtocol = (typeof SERVED_PROTOCOLS)[number]

/** The fields of a server that an operator sets besides its name and keys. */
export const SERVER_FIELDS = ['resource', 'region', 'api_version'] as const
export type ServerField = (typeof SERVER_FIELDS)[number]
export type ServerFields = { readonly [Field in ServerField]?: string | undefined }

/** The headers for a key; `authorization` has it as a bearer token. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key'

/** The facts of a request on which its path may depend. */
export interface ServerCall {
  readonly provider: ServerFields & { readonly base_url: string }
  readonly model: string
  readonly api_key: string
  readonly streams: boolean
}

/** The access to a server in one protocol. */
export interface Access {
  /** Builds the URL from the operator's fields. */
  base_url(fields: ServerFields): string
  /** Absent if it is the header of the protocol's original provider. */
  readonly key_header?: KeyHeader
  /** Maps the path of a request, if it differs from the protocol's. */
  pathTo?(path: string, call: ServerCall): string
}

export interface KnownServer {
  readonly title: string
  /** By protocol; the first one is the default. */
  readonly speaks: { readonly [Protocol in ServedProtocol]?: Access }
  /** Its required and its optional fields. */
  readonly needs?: readonly ServerField[]
  readonly takes?: readonly ServerField[]
  /** Its models are called by the names of the operator's deployments. */
  readonly has_deployments?: true
  /** The form of its model IDs, if it is unusual. */
  readonly model_form?: string
  /** Its host names; absent if it is self-hosted, so that only the catalogue can name it. */
  readonly hosts?: RegExp
  /** Its default port. */
  readonly port?: string
  /** It requires no key by default. */
  readonly keyless?: true
  /** URLs at which it also serves the Responses API, which is then used. */
  readonly responses_at?: RegExp
  /** The models that it serves there; all if absent. */
  readonly responses_models?: RegExp
  /** Its chat completions support reasoning with tools, even for models whose own provider supports that only in responses. */
  readonly reasons_in_chat?: true
  /** Its keys may be files of Google service accounts, which are exchanged for access tokens. */
  readonly takes_accounts?: true
  /** It has no embeddings in the form of its protocols. */
  readonly lacks_embeddings?: true
  /** The simulator can imitate it. */
  readonly simulated?: true
  /** Its names in LiteLLM's price list (`litellm_provider`). */
  readonly price_names: readonly string[]
  /** Other common names, such as its company's or its models'. */
  readonly also_called?: readonly string[]
  /** Its pages for creating keys, and for prices. */
  readonly keys_url?: string
  readonly prices_url?: string
}
