// The reading of [metrics] and [telemetry]: their secrets, the address of the metrics, and the one that spans are sent to.

import type { Static } from '@sinclair/typebox'
import type { MetricsSettings, TelemetrySettings } from '../domain/catalogue.ts'
import { isLoopback, parseListenAddress } from '../utilities/listen-address.ts'
import { withoutTrailing } from '../utilities/text-ends.ts'
import type { MetricsSchema, TelemetrySchema } from './observe-schemas.ts'
import { type ProviderContext, readHeaders, readSecret, warnNotSet } from './providers.ts'

type Context = Pick<ProviderContext, 'env' | 'report' | 'warn'>

/** A token that is guessed opens how much the gateway earns. */
const MIN_TOKEN_CHARS = 16

const SENDABLE = /^[!-~]+$/

/** Reads the section, whose shape has been checked. A variable that is not set leaves out what needs it, and nothing else. */
export function readMetrics(
  { token, listen }: Static<typeof MetricsSchema>,
  context: Context,
): MetricsSettings {
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

/** The same of the other section. */
export function readTelemetry(
  { endpoint, headers: written = {}, sample, service_name }: Static<typeof TelemetrySchema>,
  context: Context,
): TelemetrySettings {
  const { values: headers, unset } = readHeaders(written, ['telemetry', 'headers'], context)
  for (const each of unset) warnNotSet(each, 'no spans are sent', context.warn)
  const url = endpoint === undefined ? undefined : readEndpoint(endpoint, context)
  return { endpoint: unset.length > 0 ? undefined : url, headers, sample, service_name }
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
  const path_name = withoutTrailing(url.pathname, '/')
  url.pathname = path_name.endsWith(TRACES_PATH) ? path_name : `${path_name}${TRACES_PATH}`
  return url.href
}
