// The moderations surface: POST /v1/moderations, in OpenAI's shape.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { servePaid } from '../../src/exchange/life/paid-call.ts'
import { moderationCalls } from '../../src/exchange/units/moderation.ts'
import { renderError } from '../../src/protocols/openai/errors.ts'
import { calls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'

const SURFACE = { surface: 'moderations', forms: COMMON_FORMS, render: renderError }

/** `POST /v1/moderations`. */
export const moderations = (gateway: Pick<Gateway, 'exchange' | 'requests'>) =>
  new Elysia({ name: 'moderations' })
    .use(calls(gateway, SURFACE))
    .post('/v1/moderations', ({ origin }) => servePaid(gateway.exchange, moderationCalls, { origin }), {
      parse: 'none',
    })
