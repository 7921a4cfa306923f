// Owns the embeddings surface: POST /v1/embeddings, in OpenAI's shape.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { failureAnswer } from '../../src/answers.ts'
import type { Gateway } from '../../src/gateway.ts'
import { originOf, type Server } from '../../src/origin.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { embed } from './embed.ts'

const SURFACE = { surface: 'embeddings', forms: COMMON_FORMS, render: openai.renderError }

/** `POST /v1/embeddings`. */
export function embeddings(gateway: Gateway) {
  const { log, newRequestId } = gateway

  async function create(request: Request, server: Server): Promise<Response> {
    const request_id = newRequestId()
    try {
      return await embed(gateway, originOf(request, request_id, server, SURFACE))
    } catch (thrown) {
      return failureAnswer({ thrown, request, request_id, render: openai.renderError, log })
    }
  }

  return new Elysia({ name: 'embeddings' }).post(
    '/v1/embeddings',
    ({ request, server }) => create(request, server),
    { parse: 'none' },
  )
}
