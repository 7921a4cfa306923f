// The TypeBox schemas of providers and models in the catalogue file (data/tollgate.toml), from which the static types are derived.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { EFFORTS, INPUT_MEDIA } from '../domain/catalogue.ts'
import type { UnitKind } from '../domain/units.ts'
import { imageFields } from './image-fields.ts'
import { EmbeddingPriceSchema, ImagePriceSchema, TokenPriceSchema, UnitPriceSchema } from './price-schema.ts'
import type { Protocols } from './protocols.ts'
import { closed, MAX_COUNT, MAX_TIMER_MS, Milliseconds } from './schema-parts.ts'
import { sectionSchemas } from './sections.ts'

const PROVIDER_NAME = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]*$',
  must: 'a name of a-z, 0-9, _ and -, such as "google"',
})

const providerSettings = {
  responses: Type.Optional(
    Type.Boolean({
      description: 'whether it speaks the Responses API too; by default its server decides',
    }),
  ),
  base_url: Type.Optional(
    Type.String({
      pattern: '^(https?://.+|simulator)$',
      must: 'an address that begins with https:// or http://, or "simulator"',
    }),
  ),
  // These become part of a host name, a path or a query.
  resource: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9-]*$',
      must: 'a name of letters, digits and "-", such as "acme"',
    }),
  ),
  region: Type.Optional(
    Type.String({ pattern: '^[a-z][a-z0-9-]*$', must: 'the name of a region, such as "us-east-1"' }),
  ),
  api_version: Type.Optional(
    Type.String({
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(-preview)?$',
      must: 'the version of an API, such as "2024-10-21"',
    }),
  ),
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
  drop_fields: Type.Optional(
    Type.Array(
      Type.String({
        pattern: '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*$',
        must: 'the name of a field, or a path to one, such as "messages.reasoning_content"',
      }),
      { description: 'fields that its text requests are sent without' },
    ),
  ),
  set_fields: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'fields that are set in its text requests, such as { safe_prompt = true }',
    }),
  ),
  first_byte_timeout_ms: Milliseconds({
    default: 120_000,
    minimum: 1,
    description: "the longest wait for a stream's first event",
  }),
  idle_timeout_ms: Milliseconds({
    default: 120_000,
    minimum: 1,
    description: 'the longest silence inside an answer',
  }),
  call_timeout_ms: Milliseconds({ default: 600_000, minimum: 1 }),
  cooldown_ms: Milliseconds({
    default: 10_000,
    minimum: 0,
    description: 'the first cooldown of a failing key; doubles up to 10 minutes',
  }),
  rest_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TIMER_MS, description: 'the former name of cooldown_ms' }),
  ),
}

/** The fields of a provider besides its protocol and server. */
export const PROVIDER_SETTINGS = Type.Object({ name: PROVIDER_NAME, ...providerSettings })

/** Returns the main protocols, without secondary protocols of providers. */
const namesOf = (protocols: Protocols): string[] =>
  [...protocols].flatMap(([name, { isSpokenBy }]) => (isSpokenBy ? [] : name))

const oneOf = (names: readonly string[]) =>
  Type.Unsafe<string>(Type.Union(names.map((name) => Type.Literal(name))))

const makeProviderSchema = (protocols: Protocols) =>
  Type.Object(
    {
      name: PROVIDER_NAME,
      protocol: Type.Optional(oneOf(namesOf(protocols))),
      server: Type.Optional(Type.String()),
      ...providerSettings,
    },
    closed,
  )

type ProviderSchema = ReturnType<typeof makeProviderSchema>

const PROVIDER_SCHEMAS = new WeakMap<Protocols, ProviderSchema>()

/** Returns the schema of a provider with one of these protocols, created once per set of protocols. */
export function providerSchemaFor(protocols: Protocols): ProviderSchema {
  const known = PROVIDER_SCHEMAS.get(protocols)
  if (known) return known
  const schema = makeProviderSchema(protocols)
  PROVIDER_SCHEMAS.set(protocols, schema)
  return schema
}

/** `YYYY-MM-DD`; readers check that the day exists. */
const Day = (description: string) =>
  Type.String({
    pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
    must: 'a date in quotes, such as "2026-03-31"',
    description,
  })

const RouteSchema = <Price extends TSchema>(price: Price) =>
  Type.Object(
    {
      provider: Type.String(),
      model: Type.String({ description: "the provider's own id of the model" }),
      weight: Type.Integer({
        default: 1,
        minimum: 1,
        description: 'share of calls among routes of one `order`',
      }),
      order: Type.Integer({ default: 0, minimum: 0, description: 'lower is tried first' }),
      endpoint: Type.Optional(
        Type.Union([Type.Literal('chat_completions'), Type.Literal('responses')], {
          description: 'the endpoint for every call; by default it depends on model and call',
        }),
      ),
      generation: Type.Optional(
        Type.String({
          pattern: '\\S',
          must: 'the name of a model, such as "gpt-5.4"',
          description: 'the model whose rules apply, if `model` is a name of your own',
        }),
      ),
      shutdown_date: Type.Optional(Day('the day on which the provider shuts the model down')),
      cost: Type.Optional(price),
    },
    closed,
  )

const modelBase = {
  id: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$',
    must: 'at most 128 letters, digits, ".", "_", ":", "/" and "-", such as "gemini-3.5-flash-lite"',
  }),
  display_name: Type.Optional(Type.String()),
  created: Type.Optional(Day('the release date that callers see; default: the date of the file')),
  shutdown_date: Type.Optional(
    Day('the shutdown date that callers see; by default the latest of its routes'),
  ),
  retired: Type.Boolean({ default: false }),
}

/** Routes whose `cost` has the form of the model's price. */
const routesWith = <Price extends TSchema>(price: Price) => Type.Array(RouteSchema(price), { minItems: 1 })

const UNKNOWN_FIELDS = Type.Union([Type.Literal('pass'), Type.Literal('refuse')], {
  default: 'pass',
  description: 'request fields that the protocol does not define',
})

const TextModelSchema = Type.Object(
  {
    ...modelBase,
    routes: routesWith(TokenPriceSchema),
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
    /** `"pass"` and `"refuse"` are older values. */
    cached_content: Type.Union(
      [Type.Literal(true), Type.Literal(false), Type.Literal('pass'), Type.Literal('refuse')],
      { default: true, description: 'whether requests may refer to cached content' },
    ),
    automatic_caching: Type.Boolean({
      default: true,
      description: 'whether to cache conversations translated to Claude where callers mark nothing',
    }),
    efforts: Type.Optional(
      Type.Array(Type.Union(EFFORTS.map((effort) => Type.Literal(effort))), {
        minItems: 1,
        uniqueItems: true,
        must: 'a list of efforts, such as ["low", "medium", "high"], each of them once',
        description: 'the reasoning efforts that the model accepts; default: those of its generation',
      }),
    ),
    takes: Type.Optional(
      Type.Array(Type.Union(INPUT_MEDIA.map((medium) => Type.Literal(medium))), {
        uniqueItems: true,
        must: 'a list of "images", "audio", "files" and "tools"',
        description: 'what the model accepts besides text; default: what is known for its name',
      }),
    ),
    price: TokenPriceSchema,
  },
  closed,
)

const EmbeddingModelSchema = Type.Object(
  {
    ...modelBase,
    routes: routesWith(EmbeddingPriceSchema),
    kind: Type.Literal('embedding'),
    unknown_fields: UNKNOWN_FIELDS,
    price: EmbeddingPriceSchema,
  },
  closed,
)

const ImageModelSchema = Type.Object(
  {
    ...modelBase,
    routes: routesWith(ImagePriceSchema),
    kind: Type.Literal('image'),
    ...imageFields,
    price: ImagePriceSchema,
  },
  closed,
)

const UnitModelSchema = <K extends UnitKind>(kind: K) =>
  Type.Object(
    {
      ...modelBase,
      routes: routesWith(UnitPriceSchema(kind)),
      kind: Type.Literal(kind),
      unknown_fields: UNKNOWN_FIELDS,
      price: UnitPriceSchema(kind),
    },
    closed,
  )

/** The schema of a model by its `kind`. */
export const MODEL_SCHEMAS = {
  text: TextModelSchema,
  embedding: EmbeddingModelSchema,
  image: ImageModelSchema,
  speech: UnitModelSchema('speech'),
  transcription: UnitModelSchema('transcription'),
  moderation: UnitModelSchema('moderation'),
  rerank: UnitModelSchema('rerank'),
}

/** The lists of blocks besides the sections of settings. */
const block_lists = {
  providers: Type.Array(Type.Unknown(), { must: 'at least one [[providers]] block' }),
  models: Type.Array(Type.Unknown(), { must: 'at least one [[models]] block' }),
  price_groups: Type.Optional(Type.Array(Type.Unknown(), { must: '[[price_groups]] blocks' })),
}
export type BlockList = keyof typeof block_lists

/** The names of the file's sections. Their contents are checked part by part, so that no mistake hides another. */
export const outlineSchema = () =>
  Type.Object(
    {
      ...Object.fromEntries(
        Object.keys(sectionSchemas()).map((name) => [name, Type.Optional(Type.Unknown())]),
      ),
      ...block_lists,
    },
    closed,
  )

export type ProviderText = Static<ProviderSchema>
export type ModelText =
  | Static<typeof TextModelSchema>
  | Static<typeof EmbeddingModelSchema>
  | Static<typeof ImageModelSchema>
  | Static<ReturnType<typeof UnitModelSchema>>
