// The reading of [metrics] and [telemetry]: their secrets, the address of the metrics, and the one that spans are sent to.
import type { Static } from '@sinclair/typebox'
import type { MetricsSettings, TelemetrySettings } from '../domain/catalogue.ts'
import { isLoopback, parseListenAddress } from '../domain/listen-address.ts'
import { MetricsSchema, TelemetrySchema } from './observe-schemas.ts'
import { isHeader, type ProviderContext, readSecret, warnNotSet } from './providers.ts'
import type { TomlTable } from './toml.ts'
import { validate } from './validate.ts'

type Context = Pick<ProviderContext, 'env' | 'report' | 'warn'>

/** A token that is guessed opens how much the gateway earns. */
const MIN_TOKEN_CHARS = 16

const SENDABLE = /^[!-~]+$/

/** Reads both sections; one with a mistake is undefined. A variable that is not set leaves out what needs it, and nothing else. */
export function readObserving(
  { metrics = {}, telemetry = {} }: TomlTable,
  context: Context,
): { metrics: MetricsSettings | undefined; telemetry: TelemetrySettings | undefined } {
  const metrics_text = validate(MetricsSchema, metrics, ['metrics'], context.report)
  const telemetry_text = validate(TelemetrySchema, telemetry, ['telemetry'], context.report)
  return {
    metrics: metrics_text && readMetrics(metrics_text, context),
    telemetry: telemetry_text && readTelemetry(telemetry_text, context),
  }
}

function readMetrics({ token, listen }: Static<typeof MetricsSchema>, context: Context): MetricsSettings {
  if (listen !== undefined && !isLoopback(parseListenAddress(listen).hostname))
    context.report(
      ['metrics', 'listen'],
      'must be an address of this machine, such as "127.0.0.1:9464": no token is asked for there. For other machines, set metrics.token, and let them read /metrics at the gateway\'s own address',
    )
  return { token: token === undefined ? undefined : readToken(token, context), listen }
}

function readToken(written: string, context: Context): string | undefined {
  const path = ['metrics', 'token']
  const token = readSecret(written, path, context)
  if (typeof token !== 'string') {
    warnNotSet(token, 'there is no /metrics', context.warn)
    return undefined
  }
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
  context: Context,
): TelemetrySettings {
  const headers: Record<string, string> = {}
  let is_unset = false
  for (const [name, text] of Object.entries(written)) {
    const path = ['telemetry', 'headers', name]
    const value = readSecret(text, path, context)
    if (typeof value !== 'string') {
      warnNotSet(value, 'no spans are sent', context.warn)
      is_unset = true
    } else if (isHeader(name, value)) headers[name] = value
    else context.report(path, 'must be a name and a value that HTTP allows (RFC 9110)')
  }
  const url = endpoint === undefined ? undefined : readEndpoint(endpoint, context)
  return { endpoint: is_unset ? undefined : url, headers, sample, service_name }
}

/** The path of spans, which OTLP adds to an address without a path: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request */
const TRACES_PATH = '/v1/traces'

function readEndpoint(text: string, { report }: Context): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const path = ['telemetry', 'endpoint']
  if (!url) report(path, 'must be a complete address, such as "http://127.0.0.1:4318"')
  else if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    report(path, 'must end with its path, and hold no user or password: put secrets in telemetry.headers')
  if (!url) return undefined
  const given = url.pathname.replace(/\/+$/, '')
  url.pathname = given.endsWith(TRACES_PATH) ? given : `${given}${TRACES_PATH}`
  return url.href
}
