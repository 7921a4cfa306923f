// The rerank surface: POST /v1/rerank and /v2/rerank, in Cohere's and Jina's shape.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { rerankCalls } from '../../src/calls/kinds/units/rerank.ts'
import { servePaid } from '../../src/calls/life/paid-call.ts'
import { renderError } from '../../src/protocols/openai/errors.ts'

const SURFACE = { surface: 'rerank', forms: COMMON_FORMS, render: renderError }
const UNPARSED = { parse: 'none' } as const

/** Both versions of Cohere's address. Jina's clients use the first. */
export const rerank = (gateway: Pick<Gateway, 'calls' | 'requests'>) =>
  new Elysia({ name: 'rerank' })
    .use(calls(gateway, SURFACE))
    .post('/v1/rerank', ({ origin }) => servePaid(gateway.calls, rerankCalls, { origin }), UNPARSED)
    .post('/v2/rerank', ({ origin }) => servePaid(gateway.calls, rerankCalls, { origin }), UNPARSED)
