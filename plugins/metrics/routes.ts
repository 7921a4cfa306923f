// The metrics for Prometheus: GET /metrics, with the token of [metrics]; without a token in the catalogue it is not found.
import { createHash, timingSafeEqual } from 'node:crypto'
import { Elysia } from 'elysia'
import { calls } from '../../src/app/surface/calls.ts'
import { noEndpoint } from '../../src/app/surface/elysia-errors.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { unauthenticated } from '../../src/domain/errors.ts'
import { plainError } from '../../src/http/plain-error.ts'
import type { Observing } from './observing.ts'
import { metrics_section } from './settings.ts'

const SURFACE = { surface: 'metrics', forms: [], render: plainError }
const BEARER = /^Bearer +(\S+) *$/i

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Takes the same time for any token: hashes are of one length. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other))

/** @throws GatewayError not_found, as for any unknown path, if there are no metrics; unauthenticated */
function admit(request: Request, token: string | undefined): void {
  if (token === undefined) throw noEndpoint()
  const [, sent = ''] = BEARER.exec(request.headers.get('authorization') ?? '') ?? []
  if (!isEqual(sent, token))
    throw unauthenticated(
      'Metrics are read with the header "Authorization: Bearer …" and the token in [metrics] of the catalogue.',
    )
}

export function metrics(gateway: Pick<Gateway, 'calls' | 'requests'>, observing: Pick<Observing, 'read'>) {
  return new Elysia({ name: 'metrics' }).use(calls(gateway, SURFACE)).get(
    '/metrics',
    async ({ request }) => {
      admit(request, metrics_section.of(gateway.calls.catalogue()).token)
      return await observing.read()
    },
    { detail: { hide: true } },
  )
}
