// The shape of the catalogue's sections about watching the gateway: [metrics] and [telemetry].
import { Type } from '@sinclair/typebox'
import { closed, LISTEN_PATTERN } from './schema-parts.ts'

export const MetricsSchema = Type.Object(
  {
    token: Type.Optional(
      Type.String({
        description:
          'what GET /metrics asks for as a bearer token; "env:NAME" reads an environment variable. Without it, there is no /metrics',
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

export const TelemetrySchema = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        description: 'the OpenTelemetry collector that gets a span of each call, by OTLP over HTTP',
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
      description: 'what the gateway is called there',
    }),
  },
  closed,
)
