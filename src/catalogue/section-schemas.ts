// The schemas of sections of settings: [server], [limits], [billing], [responses], [retention], [console]; and the list of the core's sections.
import { Type } from '@sinclair/typebox'
import { BrandSchema } from './brand.ts'
import { StorageSchema } from './place-schemas.ts'
import {
  Count,
  closed,
  DEFAULT_ENV_NAMES,
  LISTEN_PATTERN,
  MAX_COUNT,
  Milliseconds,
  OptionalText,
} from './schema-parts.ts'

const Megabytes = (fallback: number, description: string) =>
  Type.Integer({ default: fallback, minimum: 0, maximum: MAX_COUNT, description })

export const ServerSchema = Type.Object(
  {
    listen: Type.String({
      default: '127.0.0.1:8080',
      pattern: LISTEN_PATTERN,
      description: 'the address and port that the gateway listens on',
      must: 'address:port, such as "127.0.0.1:8080" or "[::1]:8080"',
    }),
    tls_certificate: OptionalText(
      'the certificate with its chain, in PEM; with tls_key, the gateway serves HTTPS',
    ),
    tls_key: OptionalText("the certificate's private key, in PEM"),
    public_url: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        description: 'the URL that callers use, including the path if a proxy serves it below one',
        must: 'a URL, such as "https://gateway.example.com"',
      }),
    ),
    cors_origins: Type.Array(
      Type.String({
        pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^\\s/?#*@A-Z]+)$',
        must: 'an origin as browsers send it, such as "https://app.example", or "*" for any',
      }),
      { default: [], description: 'web origins that may call the gateway from a browser' },
    ),
    trusted_proxies: Type.Array(
      Type.String({
        minLength: 1,
        must: 'an IP address or a CIDR block, such as "127.0.0.1" or "10.0.0.0/8"',
      }),
      { default: [], description: 'proxies whose X-Forwarded-For header is trusted' },
    ),
    env_names: Type.Array(
      Type.String({
        pattern: '^[A-Za-z0-9_*]{1,128}$',
        must: 'the name of an environment variable, in which "*" stands for any characters, such as "*_API_KEY"',
      }),
      {
        default: [...DEFAULT_ENV_NAMES],
        description: 'environment variables that the console may name; only the file changes this list',
      },
    ),
    log_level: Type.Union(
      [Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')],
      { default: 'info', description: 'the minimum level of the log' },
    ),
    ledger_writer: Type.Optional(Type.Unknown({ description: 'a former setting, without effect' })),
    on_disconnect: Type.Union([Type.Literal('cancel'), Type.Literal('drain')], {
      default: 'cancel',
      description: 'what happens to a call when its client disconnects',
    }),
    drain_timeout_ms: Milliseconds({
      default: 60_000,
      minimum: 0,
      description: 'how long an answer is read on after its client disconnects, with on_disconnect = "drain"',
    }),
    shutdown_timeout_ms: Milliseconds({
      default: 30_000,
      minimum: 0,
      description: 'how long running calls may take to finish when the gateway stops',
    }),
    stalled_reader_timeout_ms: Milliseconds({
      default: 120_000,
      minimum: 1_000,
      description: 'how long a client may stop reading an answer',
    }),
    kept_answers_mb: Megabytes(2_048, 'space for answers kept for an Idempotency-Key, all accounts together'),
    kept_answers_mb_per_account: Megabytes(256, 'space for the answers of one account'),
    idempotency_keys_per_account: Type.Integer({
      default: 200_000,
      minimum: 1_000,
      maximum: MAX_COUNT,
      description: 'Idempotency-Keys of one account remembered for 24 hours',
    }),
    max_answer_bytes: Type.Integer({
      default: 67_108_864,
      minimum: 1_048_576,
      maximum: 1_073_741_824,
      description: 'the largest whole answer accepted from a provider, decompressed',
    }),
  },
  closed,
)

const LimitSchema = Type.Object(
  {
    requests_per_minute: Type.Optional(Count('requests in any 60 seconds')),
    tokens_per_minute: Type.Optional(Count('input and output tokens in any 60 seconds')),
    concurrent_calls: Type.Optional(Count('concurrent requests')),
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
      description: 'free requests of a key in any 60 seconds',
    }),
    images_per_minute: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 10_000,
      description: 'image requests of an account in any 60 seconds, on all surfaces together',
    }),
    refuse_negative_margin: Type.Boolean({
      default: false,
      description: 'skip routes whose `cost` is above the price of a call; otherwise they are only logged',
    }),
  },
  closed,
)

const BillingSchema = Type.Object(
  {
    interrupted: Type.Union([Type.Literal('charge'), Type.Literal('free')], {
      default: 'charge',
      description:
        'whether the caller pays for the delivered part of an answer that its provider interrupted',
    }),
    seller: OptionalText('the seller on statements: name, address and tax number, in several lines'),
  },
  closed,
)

const ResponsesSchema = Type.Object(
  {
    store: Type.Boolean({
      default: true,
      description: 'keep responses, so that callers can continue and read them',
    }),
    days: Type.Integer({ default: 30, minimum: 1, maximum: 3_650, description: 'days to keep them' }),
    max_mb: Megabytes(4_096, 'space for kept responses, all accounts together'),
    max_mb_per_account: Megabytes(512, 'space for the kept responses of one account'),
    max_mb_per_conversation: Type.Integer({
      default: 32,
      minimum: 1,
      maximum: 1_024,
      description: 'the longest conversation that previous_response_id can continue',
    }),
    image_model: OptionalText('no longer used: the tool image_generation goes to providers that have it'),
  },
  closed,
)

const RetentionSchema = Type.Object(
  {
    traces: Type.Integer({
      default: 90,
      minimum: 0,
      maximum: 36_500,
      description: 'days after which the trace of a call (its tries, times and failure) is deleted; 0: never',
    }),
  },
  closed,
)

/** A year. */
const MAX_HOURS = 8_760

const ConsoleSchema = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'serve the pages at /console' }),
    insecure_http: Type.Boolean({
      default: false,
      description: 'allow sign-in over plain HTTP from other machines',
    }),
    session_hours: Type.Integer({
      default: 168,
      minimum: 1,
      maximum: MAX_HOURS,
      description: 'hours that a session lasts',
    }),
    idle_hours: Type.Integer({
      default: 24,
      minimum: 1,
      maximum: MAX_HOURS,
      description: 'hours that a session lasts without a request',
    }),
  },
  closed,
)

/** By section, in the order of lists and forms. */
export const SECTION_SCHEMAS = {
  server: ServerSchema,
  limits: LimitsSchema,
  billing: BillingSchema,
  brand: BrandSchema,
  console: ConsoleSchema,
  responses: ResponsesSchema,
  retention: RetentionSchema,
  storage: StorageSchema,
}
