// Owns the shape of the catalogue file (data/tollgate.toml): one TypeBox schema, from which the static types follow.
import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false }

/** USD as vendors write it: `0.30` or `"0.30"`. Read digit by digit, never multiplied as a float. */
const Usd = (description: string) => Type.Union([Type.Number({ minimum: 0 }), Type.String()], { description })

const Count = (description: string) => Type.Integer({ minimum: 1, description })

const tokenRates = {
  input: Usd('USD per million tokens read, text and images'),
  output: Usd('USD per million tokens written; thinking too, unless it has a rate of its own'),
  cache_read: Type.Optional(Usd('per million tokens read from a cache; a tenth of input where absent')),
  cache_write_5m: Type.Optional(Usd('per million tokens put in a 5 minute cache; 1.25 x input where absent')),
  cache_write_1h: Type.Optional(Usd('per million tokens put in a 1 hour cache; 2 x input where absent')),
  thinking: Type.Optional(Usd('per million thinking tokens; the output rate where absent')),
  audio: Type.Optional(Usd('per million audio tokens read; the input rate where absent')),
  image_output: Type.Optional(Usd('per million image tokens written; the output rate where absent')),
}

export const TokenPriceSchema = Type.Object(
  {
    ...tokenRates,
    tiers: Type.Optional(
      Type.Array(
        Type.Object(
          { above: Count('prompts with more tokens than this pay this tier, whole'), ...tokenRates },
          closed,
        ),
      ),
    ),
  },
  closed,
)

export const ImagePriceSchema = Type.Object(
  {
    per_image: Usd('USD per image, where no line of `variants` fits'),
    variants: Type.Optional(
      Type.Array(
        Type.Object(
          {
            size: Type.Optional(Type.String()),
            quality: Type.Optional(Type.String()),
            per_image: Usd('USD per image'),
          },
          closed,
        ),
      ),
    ),
  },
  closed,
)

export const ServerSchema = Type.Object(
  {
    listen: Type.String({ default: '127.0.0.1:8080', description: 'address:port' }),
    public_url: Type.Optional(
      Type.String({ description: 'how callers reach the gateway, for the lines it prints' }),
    ),
    log_level: Type.Union(
      [Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')],
      { default: 'info' },
    ),
    ledger_writer: Type.Union([Type.Literal('auto'), Type.Literal('inline'), Type.Literal('thread')], {
      default: 'auto',
      description:
        'where the ledger commits: auto measures the disk at start, and moves to a thread where it is slow',
    }),
    on_disconnect: Type.Union([Type.Literal('cancel'), Type.Literal('drain')], { default: 'cancel' }),
    drain_timeout_ms: Type.Integer({ default: 60_000, minimum: 0 }),
    shutdown_timeout_ms: Type.Integer({ default: 30_000, minimum: 0 }),
    stalled_reader_timeout_ms: Type.Integer({ default: 120_000, minimum: 1_000 }),
  },
  closed,
)

export const LimitSchema = Type.Object(
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
  },
  closed,
)

export const ProviderSchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$' }),
    protocol: Type.Union([Type.Literal('gemini'), Type.Literal('anthropic'), Type.Literal('openai')]),
    base_url: Type.String({ description: 'https://… of the vendor, or "simulator"' }),
    api_keys: Type.Optional(
      Type.Array(Type.String(), { description: '"env:NAME" reads an environment variable' }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'sent with every request' }),
    ),
    first_byte_timeout_ms: Type.Integer({ default: 120_000, minimum: 1 }),
    idle_timeout_ms: Type.Integer({
      default: 120_000,
      minimum: 1,
      description: 'longest silence inside an answer',
    }),
    call_timeout_ms: Type.Integer({ default: 600_000, minimum: 1 }),
    rest_ms: Type.Integer({
      default: 10_000,
      minimum: 0,
      description: 'how long a failing key rests at first; doubles up to 10 minutes',
    }),
  },
  closed,
)

export const RouteSchema = Type.Object(
  {
    provider: Type.String(),
    model: Type.String({ description: "the vendor's own id of the model" }),
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
  id: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$' }),
  display_name: Type.Optional(Type.String()),
  retired: Type.Boolean({ default: false }),
  routes: Type.Array(RouteSchema, { minItems: 1 }),
}

export const TextModelSchema = Type.Object(
  {
    ...modelBase,
    kind: Type.Literal('text'),
    context: Type.Integer({
      default: 1_048_576,
      minimum: 1,
      description: 'tokens of prompt and answer together',
    }),
    max_output_tokens: Type.Integer({ default: 8_192, minimum: 1 }),
    price: TokenPriceSchema,
  },
  closed,
)

export const EmbeddingModelSchema = Type.Object(
  { ...modelBase, kind: Type.Literal('embedding'), price: TokenPriceSchema },
  closed,
)

export const ImageModelSchema = Type.Object(
  {
    ...modelBase,
    kind: Type.Literal('image'),
    max_n_per_request: Type.Integer({ default: 1, minimum: 1 }),
    sizes: Type.Optional(Type.Array(Type.String({ pattern: '^([0-9]+x[0-9]+|auto)$' }))),
    price: ImagePriceSchema,
  },
  closed,
)

export const ModelSchema = Type.Union([TextModelSchema, EmbeddingModelSchema, ImageModelSchema])

export const CatalogueSchema = Type.Object(
  {
    server: Type.Optional(ServerSchema),
    limits: Type.Optional(LimitsSchema),
    providers: Type.Array(ProviderSchema),
    models: Type.Array(ModelSchema),
  },
  closed,
)

export type TokenPriceText = Static<typeof TokenPriceSchema>
export type ImagePriceText = Static<typeof ImagePriceSchema>
export type ServerConfig = Static<typeof ServerSchema>
export type Limit = Static<typeof LimitSchema>
export type Limits = Static<typeof LimitsSchema>
export type ProviderText = Static<typeof ProviderSchema>
export type Route = Static<typeof RouteSchema>
export type ModelText = Static<typeof ModelSchema>
export type ProtocolName = ProviderText['protocol']
