// The embeddings surface: POST /v1/embeddings, in OpenAI's shape.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { embeddingCalls } from '../../src/exchange/embedding/call.ts'
import { servePaid } from '../../src/exchange/paid-call.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { answering } from '../../src/surface/answering.ts'
import type { Gateway } from '../../src/surface/gateway.ts'

const SURFACE = { surface: 'embeddings', forms: COMMON_FORMS, render: openai.renderError }

/** `POST /v1/embeddings`. */
export function embeddings(gateway: Gateway) {
  const answer = answering(gateway, SURFACE)
  return new Elysia({ name: 'embeddings' }).post(
    '/v1/embeddings',
    ({ request, server }) =>
      answer(request, server, (origin) => servePaid(gateway.exchange, embeddingCalls, origin)),
    { parse: 'none' },
  )
}
