// GET /metrics for Prometheus, with the token of [metrics]. Without a token in the catalogue it answers 404.
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

/** Compares in constant time. Hashes have equal lengths, which timingSafeEqual requires. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other))

/** @throws GatewayError not_found, as for an unknown path, if metrics are off; unauthenticated for a wrong token */
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
