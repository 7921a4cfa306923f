// GET /v1/responses as a WebSocket: the admission of connections, and the calls of their messages.
import { Elysia } from 'elysia'
import type { Caller } from '../../../src/access/gate.ts'
import { freeCalls } from '../../../src/app/surface/calls.ts'
import { answerTo } from '../../../src/app/surface/failed.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Surface } from '../../../src/app/surface/origin.ts'
import { assertWelcome } from '../../../src/calls/life/admission.ts'
import type { CallOrigin } from '../../../src/calls/life/call.ts'
import { rejectWhileStopping } from '../../../src/calls/life/running.ts'
import { unwrapOnThread } from '../../../src/calls/parsing/parser.ts'
import type { CallParts } from '../../../src/calls/parts.ts'
import { createRecentMemory, RecentOfConnection } from '../../../src/calls/responses/recent.ts'
import { type ResponseRequest, respond } from '../../../src/calls/responses/serve.ts'
import { GatewayError, notFound } from '../../../src/domain/errors.ts'
import { failures } from '../../../src/http/schema.ts'
import { boundedLinesOf } from '../../../src/observe/bounded-lines.ts'
import { OpenAIError } from '../../../src/protocols/openai/errors.ts'
import { unwrap } from '../../../src/protocols/wire/json-splice.ts'
import { createSharedBytes, type SharedBytes } from '../../../src/utilities/shared-bytes.ts'
import { UpgradeView } from '../stored-views.ts'
import { Connection } from './connection.ts'
import type { Served } from './connection-options.ts'
import { type Handshake, handshakeOf, originOver } from './one-call.ts'
import { createTurns, type Turns } from './turns.ts'

type Parts = Pick<Gateway, 'calls' | 'requests' | 'content'>

interface Route {
  gateway: Parts
  surface: Surface
  /** The options that all response requests share. */
  request: ResponseRequest
  /** The memory for recent responses of all connections. */
  memory: SharedBytes
  /** The memory of messages of all connections that wait for their calls. */
  arrived: SharedBytes
  /** Distributes the turns of the event loop between all connections. */
  turns: Turns
}

/** Eight of the largest messages, four of one account. A call's body counts as memory of bodies instead. */
const ARRIVED_BYTES = 128 * 1024 * 1024
/** Steps of all connections in one turn of the event loop. A refused call takes 0.1 ms. */
const MAX_STEPS = 4
/** Larger messages are parsed on a thread. */
const MAX_BYTES_ON_LOOP = 1024 * 1024

/**
 * A plain route that upgrades the request itself, because Elysia's `ws` would parse each message on the event loop and hides the
 * socket's pause().
 */
export function webSockets(gateway: Parts, surface: Surface, request: ResponseRequest) {
  const { calls, requests } = gateway
  const route = {
    gateway,
    surface,
    request,
    memory: createRecentMemory(),
    arrived: createSharedBytes(ARRIVED_BYTES),
    turns: createTurns({ max_steps: MAX_STEPS }),
  }
  return new Elysia({ name: 'responses: WebSocket' }).use(freeCalls(gateway, surface)).get(
    '/v1/responses',
    async ({ request: handshake, origin, caller, set }) => {
      const upgrades = handshake.headers.has('upgrade')
      if (!upgrades && !handshake.headers.has('sec-websocket-key'))
        throw notFound('No such endpoint. Use POST /v1/responses, or GET /v1/responses/{id}.')
      rejectWhileStopping(calls.running)
      const has_room = requests.web_sockets.hasRoom(caller.account.id)
      const unwelcome = await refusalOf(calls, origin)
      const connection = connectionOf(route, caller, handshakeOf(origin))
      const headers = { 'x-request-id': origin.request_id }
      if (upgrades && has_room && !unwelcome && requests.sockets()?.upgrade(handshake, connection, headers))
        return undefined
      // After 426 Codex continues with POST at once; another refusal would end its turn (codex-rs/core/src/client.rs).
      set.status = 426
      Object.assign(set.headers, { upgrade: 'HTTP/1.1', connection: 'upgrade' })
      const why = !has_room
        ? 'Too many WebSockets are open.'
        : unwelcome
          ? unwelcome.message
          : upgrades
            ? 'This is not a WebSocket handshake.'
            : 'A proxy on the way did not forward the headers Upgrade and Connection.'
      return { error: { message: `${why} Use POST /v1/responses.` } }
    },
    {
      response: { 426: UpgradeView, ...failures(OpenAIError, 401, 403, 404, 429, 503) },
      // OpenAPI cannot describe a WebSocket, so the description of POST mentions it.
      detail: { hide: true },
    },
  )
}

/** Returns the reason why no call of this caller could be admitted now. With POST the caller gets the usual error for it. */
async function refusalOf(calls: CallParts, origin: CallOrigin): Promise<GatewayError | undefined> {
  try {
    await assertWelcome(calls, origin)
    return undefined
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
}

const NOTHING = new Uint8Array()

function connectionOf(route: Route, caller: Caller, handshake: Handshake): Connection {
  const { gateway, surface, request, memory, arrived, turns } = route
  const account_id = caller.account.id
  const { newRequestId, web_sockets } = gateway.requests
  const parts = { calls: gateway.calls, ...gateway.content }
  const { request_id } = handshake
  const lines = boundedLinesOf(gateway.calls.log)
  const logged_as = `account ${account_id}`
  const recent = new RecentOfConnection({ memory, account_id, onForgotten: () => connection.forgotten() })
  const connection: Connection = new Connection({
    account_id,
    opened_at_ms: gateway.calls.now(),
    arrived,
    turns,
    async assertWelcome() {
      const body = { bytes: NOTHING, onTaken: () => undefined }
      const { signal } = new AbortController()
      const origin = originOver(handshake, surface, { request_id: handshake.request_id, body, signal })
      await assertWelcome(gateway.calls, origin)
    },
    unwrap: async (bytes, rules) =>
      bytes.length > MAX_BYTES_ON_LOOP
        ? await unwrapOnThread(gateway.calls.bodies.parser, bytes, rules)
        : unwrap(bytes, rules),
    async serve({ body, lane = '', generates }, { signal, onTaken }): Promise<Served> {
      const request_id = newRequestId()
      let origin: CallOrigin | undefined
      const served = (answer: Response) => ({ answer, was_let_in: origin?.known.is_call === true })
      try {
        origin = originOver(handshake, surface, { request_id, body: { bytes: body, onTaken }, signal })
        return served(await respond(parts, origin, request, { recent: recent.lane(lane), generates }))
      } catch (thrown) {
        const about = { thrown, request_id, known: origin?.known }
        return served(answerTo(gateway, surface, origin ? { ...about, request: origin.request } : about))
      }
    },
    refuse: (thrown) => answerTo(gateway, surface, { thrown, request_id: newRequestId(), known: { caller } }),
    onOpen(opened) {
      web_sockets.add(opened)
      lines.write(logged_as, { request_id, open: web_sockets.size }, 'a WebSocket was opened')
    },
    onMessage: (sender, bytes) => web_sockets.sawMessage(sender, bytes),
    onClose(closed, code) {
      web_sockets.remove(closed)
      recent.forget()
      lines.write(logged_as, { request_id, code, open: web_sockets.size }, 'a WebSocket was closed')
    },
  })
  return connection
}
