// The legacy completions surface: POST /v1/completions, whole and streamed, from any text model.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { readCallTarget } from '../../src/calls/bodies/arrival.ts'
import { textCalls } from '../../src/calls/kinds/text/call.ts'
import type { Dialect } from '../../src/calls/kinds/text/dialect.ts'
import { servePaid } from '../../src/calls/life/paid-call.ts'
import { completions as protocol } from '../../src/protocols/openai/completions.ts'
import { renderError } from '../../src/protocols/openai/errors.ts'
import { showsUsage } from '../../src/protocols/openai/request.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { eventFrame } from '../../src/upstream/relay.ts'

/** The same limit as for chat completions. */
const BODY_LIMIT_BYTES = 30 * 1024 * 1024

const SURFACE = { surface: 'completions', forms: COMMON_FORMS, render: renderError }
const FRAME = eventFrame()

const dialectOf = (body: JsonObject): Dialect => ({
  protocol,
  frame: FRAME,
  raw: false,
  shows_usage: showsUsage(body),
})

export const completions = (gateway: Pick<Gateway, 'calls' | 'requests'>) =>
  new Elysia({ name: 'completions' }).use(calls(gateway, SURFACE)).post(
    '/v1/completions',
    ({ origin }) =>
      servePaid(gateway.calls, textCalls, {
        origin,
        body_limit_bytes: BODY_LIMIT_BYTES,
        target: readCallTarget,
        protocol,
        dialect: dialectOf,
        forwarded_headers: {},
      }),
    { parse: 'none' },
  )
