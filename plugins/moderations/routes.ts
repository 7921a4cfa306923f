// The moderations surface: POST /v1/moderations, in OpenAI's shape.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { moderationCalls } from '../../src/calls/kinds/units/moderation.ts'
import { servePaid } from '../../src/calls/life/paid-call.ts'
import { renderError } from '../../src/protocols/openai/errors.ts'

const SURFACE = { surface: 'moderations', forms: COMMON_FORMS, render: renderError }

/** `POST /v1/moderations`. */
export const moderations = (gateway: Pick<Gateway, 'calls' | 'requests'>) =>
  new Elysia({ name: 'moderations' })
    .use(calls(gateway, SURFACE))
    .post('/v1/moderations', ({ origin }) => servePaid(gateway.calls, moderationCalls, { origin }), {
      parse: 'none',
    })
