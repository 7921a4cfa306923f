// The shape of the catalogue file (data/tollgate.toml) in TypeBox schemas, from which the static types follow.
import { type Static, Type } from '@sinclair/typebox'
import { EmbeddingPriceSchema, ImagePriceSchema, TokenPriceSchema } from './price-schema.ts'
import type { Protocols } from './protocols.ts'
import { Count, closed, MAX_COUNT } from './schema-parts.ts'

/** setTimeout fires at once for delays beyond 31 bits. */
const MAX_TIMER_MS = 2_147_483_647

const Milliseconds = (options: { default: number; minimum: number; description?: string }) =>
  Type.Integer({ ...options, maximum: MAX_TIMER_MS })

const Megabytes = (fallback: number, description: string) =>
  Type.Integer({ default: fallback, minimum: 0, maximum: MAX_COUNT, description })

export const ServerSchema = Type.Object(
  {
    listen: Type.String({
      default: '127.0.0.1:8080',
      pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s:]+):[0-9]{1,5}$',
      must: 'address:port, such as "127.0.0.1:8080" or "[::1]:8080"',
    }),
    public_url: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        description: 'how callers reach the gateway, for the lines it prints',
        must: 'a URL, such as "https://gateway.example.com"',
      }),
    ),
    log_level: Type.Union(
      [Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')],
      { default: 'info' },
    ),
    ledger_writer: Type.Union([Type.Literal('auto'), Type.Literal('inline'), Type.Literal('thread')], {
      default: 'auto',
      description:
        'where the ledger commits: auto measures the disk at the start, and uses a thread where it is slow',
    }),
    on_disconnect: Type.Union([Type.Literal('cancel'), Type.Literal('drain')], { default: 'cancel' }),
    drain_timeout_ms: Milliseconds({ default: 60_000, minimum: 0 }),
    shutdown_timeout_ms: Milliseconds({ default: 30_000, minimum: 0 }),
    stalled_reader_timeout_ms: Milliseconds({ default: 120_000, minimum: 1_000 }),
    kept_answers_mb: Megabytes(2_048, 'answers kept for an Idempotency-Key, all accounts together'),
    kept_answers_mb_per_account: Megabytes(256, 'answers kept for the Idempotency-Keys of one account'),
    idempotency_keys_per_account: Type.Integer({
      default: 200_000,
      minimum: 1_000,
      maximum: MAX_COUNT,
      description: 'keys of one account that are remembered for 24 hours',
    }),
    max_answer_bytes: Type.Integer({
      default: 67_108_864,
      minimum: 1_048_576,
      maximum: 1_073_741_824,
      description:
        'the largest whole answer that is taken from a provider, expanded where it comes compressed',
    }),
  },
  closed,
)

const LimitSchema = Type.Object(
  {
    requests_per_minute: Type.Optional(Count('calls started in any 60 seconds')),
    tokens_per_minute: Type.Optional(Count('tokens read and written in any 60 seconds')),
    concurrent_calls: Type.Optional(Count('calls at once')),
  },
  closed,
)

export const LimitsSchema = Type.Object(
  {
    account: Type.Optional(LimitSchema),
    key: Type.Optional(LimitSchema),
    accounts: Type.Optional(Type.Record(Type.String(), LimitSchema, { description: 'by account name' })),
    keys: Type.Optional(
      Type.Record(Type.String(), LimitSchema, { description: 'by the prefix that `key list` shows' }),
    ),
    reads_per_minute: Type.Integer({
      default: 600,
      minimum: 1,
      maximum: 1_000_000,
      description: 'free reads of a key in any 60 seconds',
    }),
  },
  closed,
)

export const ResponsesSchema = Type.Object(
  {
    store: Type.Boolean({
      default: true,
      description: 'whether responses are kept, so that callers can continue and read them',
    }),
    days: Type.Integer({ default: 30, minimum: 1, maximum: 3_650, description: 'how long they are kept' }),
    max_mb: Megabytes(4_096, 'responses kept of all accounts together'),
    max_mb_per_account: Megabytes(512, 'responses kept of one account'),
    max_mb_per_conversation: Type.Integer({
      default: 32,
      minimum: 1,
      maximum: 1_024,
      description: 'the longest conversation that is continued by previous_response_id',
    }),
  },
  closed,
)

const PROVIDER_NAME = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]*$',
  must: 'a name of a-z, 0-9, _ and -, such as "google"',
})

const providerSettings = {
  base_url: Type.String({
    pattern: '^(https?://.+|simulator)$',
    must: 'an address that begins with https:// or http://, or "simulator"',
  }),
  api_keys: Type.Optional(
    Type.Array(Type.String(), {
      description: '"env:NAME" reads an environment variable; an empty list: the server takes none',
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'sent with every request; "env:NAME" reads an environment variable',
    }),
  ),
  first_byte_timeout_ms: Milliseconds({ default: 120_000, minimum: 1 }),
  idle_timeout_ms: Milliseconds({
    default: 120_000,
    minimum: 1,
    description: 'the longest silence inside an answer',
  }),
  call_timeout_ms: Milliseconds({ default: 600_000, minimum: 1 }),
  cooldown_ms: Milliseconds({
    default: 10_000,
    minimum: 0,
    description: 'how long a failing key is left alone at first; doubles up to 10 minutes',
  }),
  rest_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TIMER_MS, description: 'the former name of cooldown_ms' }),
  ),
}

const makeProviderSchema = (protocols: Protocols) =>
  Type.Object(
    {
      name: PROVIDER_NAME,
      protocol: Type.Unsafe<string>(Type.Union([...protocols.keys()].map((name) => Type.Literal(name)))),
      ...providerSettings,
    },
    closed,
  )

type ProviderSchema = ReturnType<typeof makeProviderSchema>

const PROVIDER_SCHEMAS = new WeakMap<Protocols, ProviderSchema>()

/** The schema of a provider that speaks one of these protocols; made once for them, however often the file is read. */
export function providerSchemaFor(protocols: Protocols): ProviderSchema {
  const known = PROVIDER_SCHEMAS.get(protocols)
  if (known) return known
  const schema = makeProviderSchema(protocols)
  PROVIDER_SCHEMAS.set(protocols, schema)
  return schema
}

const RouteSchema = Type.Object(
  {
    provider: Type.String(),
    model: Type.String({ description: "the provider's own id of the model" }),
    weight: Type.Integer({
      default: 1,
      minimum: 1,
      description: 'share of calls among routes of one `order`',
    }),
    order: Type.Integer({ default: 0, minimum: 0, description: 'lower is tried first' }),
  },
  closed,
)

const modelBase = {
  id: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$',
    must: 'at most 128 letters, digits, ".", "_", "/" and "-", such as "gemini-2.5-flash"',
  }),
  display_name: Type.Optional(Type.String()),
  retired: Type.Boolean({ default: false }),
  routes: Type.Array(RouteSchema, { minItems: 1 }),
}

const UNKNOWN_FIELDS = Type.Union([Type.Literal('pass'), Type.Literal('refuse')], {
  default: 'pass',
  description: 'top-level fields that the protocol does not have',
})

const TextModelSchema = Type.Object(
  {
    ...modelBase,
    kind: Type.Literal('text'),
    context: Type.Integer({
      default: 1_048_576,
      minimum: 1,
      maximum: MAX_COUNT,
      description: 'tokens of prompt and answer together',
    }),
    max_output_tokens: Type.Integer({
      default: 8_192,
      minimum: 1,
      maximum: MAX_COUNT,
      description: 'the limit for callers who set none, and the most that any caller may set',
    }),
    unknown_fields: UNKNOWN_FIELDS,
    cached_content: Type.Union([Type.Literal('pass'), Type.Literal('refuse')], {
      default: 'pass',
      description: 'requests that refer to cached content',
    }),
    price: TokenPriceSchema,
  },
  closed,
)

const EmbeddingModelSchema = Type.Object(
  {
    ...modelBase,
    kind: Type.Literal('embedding'),
    unknown_fields: UNKNOWN_FIELDS,
    price: EmbeddingPriceSchema,
  },
  closed,
)

const ImageModelSchema = Type.Object(
  {
    ...modelBase,
    kind: Type.Literal('image'),
    max_n_per_request: Type.Integer({ default: 1, minimum: 1, maximum: 100 }),
    timeout_ms: Milliseconds({
      default: 300_000,
      minimum: 1,
      description: 'the longest that a provider may take for an image',
    }),
    sizes: Type.Optional(
      Type.Array(
        Type.String({ pattern: '^([0-9]+x[0-9]+|auto)$', must: '"auto" or a size such as "1024x1024"' }),
      ),
    ),
    price: ImagePriceSchema,
  },
  closed,
)

/** The schema of a model by its `kind`. */
export const MODEL_SCHEMAS = {
  text: TextModelSchema,
  embedding: EmbeddingModelSchema,
  image: ImageModelSchema,
}

/** The file's sections. What is in them is checked part by part, so that no mistake hides another. */
export const OutlineSchema = Type.Object(
  {
    server: Type.Optional(Type.Unknown()),
    limits: Type.Optional(Type.Unknown()),
    responses: Type.Optional(Type.Unknown()),
    providers: Type.Array(Type.Unknown(), { must: 'at least one [[providers]] block' }),
    models: Type.Array(Type.Unknown(), { must: 'at least one [[models]] block' }),
  },
  closed,
)

export type ProviderText = Static<ProviderSchema>
export type ModelText =
  | Static<typeof TextModelSchema>
  | Static<typeof EmbeddingModelSchema>
  | Static<typeof ImageModelSchema>
