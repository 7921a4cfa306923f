// The settings sections [metrics] and [telemetry]: token and address for metrics, collector and headers for spans.
import { type Static, Type } from '@sinclair/typebox'
import { readHeaders, warnUnusable } from '../../src/catalogue/providers.ts'
import { closed, LISTEN_PATTERN } from '../../src/catalogue/schema-parts.ts'
import { defineSection, originIn, type SectionContext } from '../../src/catalogue/sections.ts'
import { readSetSecret } from '../../src/catalogue/set-secret.ts'
import { isLoopback, parseListenAddress } from '../../src/utilities/listen-address.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'

const MetricsSchema = Type.Object(
  {
    token: Type.Optional(
      Type.String({
        description:
          'the bearer token that GET /metrics requires; "env:NAME" reads an environment variable. Without it, /metrics is off',
      }),
    ),
    listen: Type.Optional(
      Type.String({
        pattern: LISTEN_PATTERN,
        description: 'an address of this machine alone, where GET /metrics needs no token',
        must: 'address:port on this machine, such as "127.0.0.1:9464" or "[::1]:9464"',
      }),
    ),
  },
  closed,
)

const TelemetrySchema = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        description: 'the OpenTelemetry collector to send a span of each call to, by OTLP over HTTP',
        must: 'a URL, such as "http://127.0.0.1:4318"',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'sent with every request to it; "env:NAME" reads an environment variable',
      }),
    ),
    sample: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: 'the share of calls that get a span, from 0 to 1',
    }),
    service_name: Type.String({
      default: 'tollgate',
      minLength: 1,
      description: 'the name of the gateway in traces',
    }),
  },
  closed,
)

/** Metrics show the gateway's revenue, so the token must not be guessable. */
const MIN_TOKEN_CHARS = 16

const SENDABLE = /^[!-~]+$/

/** Reads the section after schema validation. An unset environment variable disables only the token. */
function readMetrics({ token, listen }: Static<typeof MetricsSchema>, context: SectionContext) {
  const { server } = context
  if (listen !== undefined && server && overlaps(server.listen, listen))
    context.report(
      ['metrics', 'listen'],
      `must be another address than server.listen (${server.listen}): choose another port, such as "127.0.0.1:9464"`,
    )
  if (listen !== undefined && !isLoopback(parseListenAddress(listen).hostname))
    context.report(
      ['metrics', 'listen'],
      'must be an address of this machine, such as "127.0.0.1:9464": no token is asked for there. For other machines, set metrics.token, and let them read /metrics at the gateway\'s own address',
    )
  return { token: token === undefined ? undefined : readToken(token, context), listen }
}

function readToken(written: string, context: SectionContext): string | undefined {
  const path = ['metrics', 'token']
  const token = readSetSecret(written, path, 'there is no /metrics', context)
  if (token === undefined) return undefined
  if (token.length < MIN_TOKEN_CHARS && token !== '')
    context.report(
      path,
      `must have at least ${MIN_TOKEN_CHARS} characters, so that nobody guesses it: make one with \`openssl rand -hex 24\``,
    )
  else if (token !== '' && !SENDABLE.test(token))
    context.report(
      path,
      'must be of letters, digits and signs of ASCII without spaces: another one cannot be sent as a bearer token',
    )
  return token
}

function readTelemetry(
  { endpoint, headers: written = {}, sample, service_name }: Static<typeof TelemetrySchema>,
  context: SectionContext,
) {
  const { values: headers, unset } = readHeaders(written, ['telemetry', 'headers'], context)
  for (const each of unset) warnUnusable(each, 'no spans are sent', context.warn)
  const url = endpoint === undefined ? undefined : readEndpoint(endpoint, context)
  return { endpoint: unset.length > 0 ? undefined : url, headers, sample, service_name }
}

/** OTLP's path for spans, appended to the endpoint: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request */
const TRACES_PATH = '/v1/traces'

function readEndpoint(text: string, { report }: SectionContext): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const path = ['telemetry', 'endpoint']
  if (!url) report(path, 'must be a complete address, such as "http://127.0.0.1:4318"')
  else if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    report(path, 'must end with its path, and hold no user or password: put secrets in telemetry.headers')
  if (!url) return undefined
  const path_name = withoutTrailing(url.pathname, '/')
  url.pathname = path_name.endsWith(TRACES_PATH) ? path_name : `${path_name}${TRACES_PATH}`
  return url.href
}

/** Whether listening on one address makes the other unavailable. */
function overlaps(listen: string, other: string): boolean {
  const [, host, port = ''] = /^(.*)(:.*)$/.exec(listen) ?? []
  const is_any = host === '0.0.0.0' || host === '[::]'
  return port !== ':0' && (listen === other || (is_any && other.endsWith(port)))
}

export const metrics_section = defineSection({
  name: 'metrics',
  schema: MetricsSchema,
  read: readMetrics,
  secrets: {
    at: ([name]) => (name === 'token' ? 'the metrics' : undefined),
    in: ({ token }) => (token === undefined ? [] : [token]),
  },
  needs_restart: ['listen'],
  of_machine: ['listen'],
})

export const telemetry_section = defineSection({
  name: 'telemetry',
  schema: TelemetrySchema,
  read: readTelemetry,
  secrets: {
    at: ([name], { endpoint }) => (name === 'headers' ? originIn(endpoint) : undefined),
    in: ({ headers }) => Object.values(headers),
  },
  needs_restart: ['endpoint', 'headers', 'service_name'],
})
