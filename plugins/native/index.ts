// Owns the native generation surface: /v1beta/models/{model}:{action}, whole and streamed, and what of it is not there.
import { type Context, Elysia } from 'elysia'
import { credentialOf, NATIVE_FORMS } from '../../src/access/gate.ts'
import { failureAnswer } from '../../src/answers.ts'
import { type GatewayError, notFound, unimplemented } from '../../src/errors.ts'
import type { Gateway } from '../../src/gateway.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { SOCKET_IDLE_TIMEOUT_S } from '../../src/running.ts'
import { asJsonArray, passOn } from '../../src/upstream/relay.ts'
import { isUnimplemented, readAction } from './model.ts'

/** spec.md, Limits: request body of the native generation endpoints. */
export const NATIVE_BODY_LIMIT_BYTES = 30 * 1024 * 1024

const WANTS_EVENTS = /[?&]alt=sse(?:&|$)/

type Server = Context['server']

/** `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`; 501 for what spec.md leaves out. */
export function native(gateway: Gateway) {
  const { exchange, gate, log, newRequestId } = gateway

  async function post(request: Request, target: string, server: Server): Promise<Response> {
    const request_id = newRequestId()
    try {
      const action = readAction(target)
      if (action.kind !== 'generate') throw elsewhere(request, action.kind === 'unimplemented', server)
      const { model_id, streams } = action
      return await exchange.run({
        request,
        request_id,
        surface: 'native',
        protocol: gemini,
        credential: credentialOf(request, NATIVE_FORMS),
        address: () => server?.requestIP(request)?.address,
        keepOpen: (open) => server?.timeout(request, open ? 0 : SOCKET_IDLE_TIMEOUT_S),
        body_limit_bytes: NATIVE_BODY_LIMIT_BYTES,
        model_id,
        streams,
        relay: WANTS_EVENTS.test(request.url) ? passOn : asJsonArray,
      })
    } catch (thrown) {
      return failureAnswer({ thrown, request_id, render: gemini.renderError, log })
    }
  }

  function rest(request: Request, server: Server): Response {
    const request_id = newRequestId()
    const render = gemini.renderError
    try {
      throw elsewhere(request, isUnimplemented(new URL(request.url).pathname), server)
    } catch (thrown) {
      return failureAnswer({ thrown, request_id, render, log })
    }
  }

  /** What is not served is said to those who have a key only. */
  function elsewhere(request: Request, known: boolean, server: Server): GatewayError {
    gate.admit(credentialOf(request, NATIVE_FORMS), () => server?.requestIP(request)?.address)
    return known
      ? unimplemented(
          'This method of the native API is not implemented here. Use generateContent, streamGenerateContent or the /v1 endpoints.',
        )
      : notFound(
          'There is no such method. Call models/{model}:generateContent or models/{model}:streamGenerateContent.',
        )
  }

  const unparsed = { parse: 'none' } as const
  return new Elysia({ name: 'native', seed: gateway })
    .post(
      '/v1beta/models/:target',
      ({ request, params, server }) => post(request, params.target, server),
      unparsed,
    )
    .all('/v1beta/*', ({ request, server }) => rest(request, server), unparsed)
    .all('/upload/v1beta/*', ({ request, server }) => rest(request, server), unparsed)
}
