// The embeddings surface: POST /v1/embeddings, in OpenAI's shape.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { embeddingCalls } from '../../src/calls/kinds/embedding/call.ts'
import { OPENAI_EMBEDDINGS } from '../../src/calls/kinds/embedding/dialect.ts'
import { servePaid } from '../../src/calls/life/paid-call.ts'
import { openai } from '../../src/protocols/openai/index.ts'

const SURFACE = { surface: 'embeddings', forms: COMMON_FORMS, render: openai.renderError }

export const embeddings = (gateway: Pick<Gateway, 'calls' | 'requests'>) =>
  new Elysia({ name: 'embeddings' })
    .use(calls(gateway, SURFACE))
    .post(
      '/v1/embeddings',
      ({ origin }) => servePaid(gateway.calls, embeddingCalls, { origin, dialect: OPENAI_EMBEDDINGS }),
      {
        parse: 'none',
      },
    )
