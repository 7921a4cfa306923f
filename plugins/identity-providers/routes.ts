// The back-channel logout endpoint, which providers call when a person signs out there: POST /identity-providers/NAME/logout.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { openCalls } from '../../src/app/surface/calls.ts'
import { requireConsole } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { announcedBytes, readBytes } from '../../src/http/body.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { endByToken, readLogoutToken } from './logout.ts'
import type { ProviderSignIn } from './signing-in.ts'

const SURFACE = { surface: 'identity-providers', forms: [], render: plainError }
const MAX_BODY_BYTES = 32 * 1_024

const ProviderParams = Type.Object({ name: Type.String({ maxLength: 40 }) })

export function logoutRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>, own: ProviderSignIn) {
  const { db } = gateway
  const { now, log } = gateway.calls
  return new Elysia({ name: 'identity-providers' }).use(openCalls(gateway, SURFACE)).post(
    '/identity-providers/:name/logout',
    async ({ params, request, set, origin }) => {
      requireConsole(gateway)
      const provider = own.provider(params.name)
      const written = await readToken(request)
      const token = await readLogoutToken(await own.known(provider), provider, written, now())
      const ended = await endByToken(db, token, { provider: provider.name, now_ms: now() })
      log.info({ request_id: origin.request_id, provider: provider.name, ended }, 'signed out by a provider')
      set.headers['cache-control'] = 'no-store'
      return { ended }
    },
    // Only providers call it, so the API reference leaves it out.
    { params: ProviderParams, parse: 'none', detail: { hide: true } },
  )
}

/** Reads the token from the form. @throws GatewayError invalid_request without a token; payload_too_large */
async function readToken(request: Request): Promise<string> {
  announcedBytes(request, MAX_BODY_BYTES)
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  const tokens = new URLSearchParams(Buffer.from(bytes).toString()).getAll('logout_token')
  const [token] = tokens
  if (token === undefined || tokens.length > 1)
    throw invalidRequest('Send one logout_token, as a form.', { param: 'logout_token' })
  return token
}
