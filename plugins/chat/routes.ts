// The chat completions surface: POST /v1/chat/completions, whole and streamed.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { readCallTarget } from '../../src/calls/bodies/arrival.ts'
import { rateHeaders } from '../../src/calls/kinds/image/rate.ts'
import type { Dialect } from '../../src/calls/kinds/text/dialect.ts'
import { createConversationServer } from '../../src/calls/pictures/call.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { showsUsage } from '../../src/protocols/openai/request.ts'
import { withoutUsage } from '../../src/protocols/openai/stream.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { eventFrame } from '../../src/upstream/relay.ts'
import { renderChatError, vendorDialect } from './clients.ts'

/** The same limit as on the native endpoints, because requests contain images inline. */
const CHAT_BODY_LIMIT_BYTES = 30 * 1024 * 1024

const WITH_USAGE: Dialect = { protocol: openai, frame: eventFrame(), raw: true, shows_usage: true }
/** Hides the usage from a caller who did not request it. The upstream request always asks for it. */
const WITHOUT_USAGE: Dialect = { ...WITH_USAGE, shows_usage: false, editEvent: withoutUsage }
const SURFACE = { surface: 'chat', forms: COMMON_FORMS, render: renderChatError }

const dialectOf = (body: JsonObject, request: Request): Dialect =>
  vendorDialect(request, WITH_USAGE) ?? (showsUsage(body) ? WITH_USAGE : WITHOUT_USAGE)

export function chat(gateway: Pick<Gateway, 'calls' | 'requests' | 'content'>) {
  const serve = createConversationServer(gateway.content.images)
  return new Elysia({ name: 'chat' }).use(calls(gateway, SURFACE)).post(
    '/v1/chat/completions',
    ({ origin, set }) =>
      serve(gateway.calls, {
        origin,
        body_limit_bytes: CHAT_BODY_LIMIT_BYTES,
        target: readCallTarget,
        protocol: openai,
        dialect: (body) => dialectOf(body, origin.request),
        forwarded_headers: {},
        onRate: (state) => Object.assign(set.headers, rateHeaders(state)),
      }),
    { parse: 'none' },
  )
}
