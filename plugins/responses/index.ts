// The responses surface: POST /v1/responses, whole and streamed, and the summing up of conversations.

import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { notFound } from '../../src/domain/errors.ts'
import { type CallOrigin, within } from '../../src/exchange/admission.ts'
import { readCallTarget } from '../../src/exchange/call-target.ts'
import { pay, servePaid } from '../../src/exchange/paid-call.ts'
import { openText, readOpened, type TextCall, textCalls } from '../../src/exchange/text/call.ts'
import { responses as protocol } from '../../src/protocols/openai/responses/index.ts'
import { calls, freeCalls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { failures } from '../../src/surface/responses.ts'
import { ResponseCall } from './call.ts'
import { drawerFor } from './drawer.ts'
import { serveDrawn } from './drawn.ts'
import { OpenAIError, UpgradeView } from './stored-views.ts'

/** As for chat completions: images come inline here too. */
const BODY_LIMIT_BYTES = 30 * 1024 * 1024
const REQUEST = { body_limit_bytes: BODY_LIMIT_BYTES, target: readCallTarget, protocol }
const SURFACE = { surface: 'responses', forms: COMMON_FORMS, render: protocol.renderError }

/** `POST /v1/responses` and `POST /v1/responses/compact`; 426 where an agent asks for a WebSocket. */
export function responses(gateway: Gateway) {
  const { exchange } = gateway

  const textCallOf = (origin: CallOrigin, call: ResponseCall): TextCall => ({
    origin,
    ...REQUEST,
    revise: call.revise,
    dialect: call.dialect,
    forwarded_headers: {},
  })

  const create = (origin: CallOrigin): Promise<Response> =>
    within(exchange, origin, async (admitted) => {
      const opened = await openText(exchange, admitted, REQUEST)
      const drawer = await drawerFor(gateway, admitted, opened)
      const call = new ResponseCall(gateway, origin, { drawer })
      const text_call = textCallOf(origin, call)
      if (drawer) return serveDrawn(gateway, { admitted, text_call, call, opened, drawer })
      return pay(exchange, admitted, await readOpened(exchange, admitted, text_call, opened), textCalls)
    })

  const compact = (origin: CallOrigin): Promise<Response> => {
    const call = new ResponseCall(gateway, origin, { only_compacts: true })
    return servePaid(exchange, textCalls, textCallOf(origin, call))
  }

  const unparsed = { parse: 'none' } as const
  return new Elysia({ name: 'responses' })
    .use(calls(gateway, SURFACE))
    .post('/v1/responses', ({ origin }) => create(origin), unparsed)
    .post('/v1/responses/compact', ({ origin }) => compact(origin), unparsed)
    .use(upgrades(gateway))
}

/** Codex asks for a WebSocket first, and goes on at once by POST where it is told that there is none. */
const upgrades = (gateway: Gateway) =>
  new Elysia({ name: 'responses: upgrades' }).use(freeCalls(gateway, SURFACE)).get(
    '/v1/responses',
    ({ request, set }) => {
      if (!request.headers.has('upgrade'))
        throw notFound('No such endpoint. Use POST /v1/responses, or GET /v1/responses/{id}.')
      set.status = 426
      Object.assign(set.headers, { upgrade: 'HTTP/1.1', connection: 'upgrade' })
      return { error: { message: 'There is no WebSocket here. Use POST /v1/responses.' } }
    },
    { response: { 426: UpgradeView, ...failures(OpenAIError, 401, 403, 404, 429) } },
  )
