// The embeddings surface: POST /v1/embeddings, in OpenAI's shape.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { embeddingCalls } from '../../src/exchange/embedding/call.ts'
import { OPENAI_EMBEDDINGS } from '../../src/exchange/embedding/dialect.ts'
import { servePaid } from '../../src/exchange/life/paid-call.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { calls } from '../../src/surface/calls.ts'
import type { Gateway } from '../../src/surface/gateway.ts'

const SURFACE = { surface: 'embeddings', forms: COMMON_FORMS, render: openai.renderError }

/** `POST /v1/embeddings`. */
export const embeddings = (gateway: Pick<Gateway, 'exchange' | 'requests'>) =>
  new Elysia({ name: 'embeddings' })
    .use(calls(gateway, SURFACE))
    .post(
      '/v1/embeddings',
      ({ origin }) => servePaid(gateway.exchange, embeddingCalls, { origin, dialect: OPENAI_EMBEDDINGS }),
      {
        parse: 'none',
      },
    )
