// Owns the images surface: POST /v1/images/generations, /v1/images/edits and /v1/images/compose.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { createImageRate, type RateState } from '../../src/access/image-rate.ts'
import { createImageExchange } from '../../src/exchange/image/exchange.ts'
import { createMemoryBudget } from '../../src/exchange/memory-budget.ts'
import { failureAnswer, type RenderError } from '../../src/http/answers.ts'
import { renderImageError, renderImageErrorWithoutDebt } from '../../src/http/image-error.ts'
import { createRemoteFetch, type FetchImage } from '../../src/media/remote.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { originOf, type Server } from '../../src/surface/origin.ts'
import { COMPOSE, editForm, GENERATION, type RequestForm } from './requests.ts'

/** What a running gateway never replaces, and tests do. */
export interface ImagesSeams {
  fetchImage?: FetchImage
  /** Milliseconds of a clock that never goes back. */
  clock?: () => number
}

/** One body of the largest size at a time, or several smaller ones. */
const MEMORY_LIMIT_BYTES = 420 * 1024 * 1024
const MEMORY_WAIT_MS = 60_000

/** Makes the surface. */
export const imagesWith = ({
  fetchImage = createRemoteFetch(),
  clock = () => performance.now(),
}: ImagesSeams) => {
  return (gateway: Gateway) => {
    const { exchange, library, catalogue, log, newRequestId } = gateway
    const images = createImageExchange({
      steps: exchange,
      rate: createImageRate(clock),
      memory: createMemoryBudget({
        limit_bytes: MEMORY_LIMIT_BYTES,
        wait_ms: MEMORY_WAIT_MS,
        reclaim: () => Bun.gc(true),
      }),
      library,
      fetchImage,
      catalogue,
      log,
    })

    async function serve(request: Request, server: Server, form: RequestForm, render: RenderError) {
      const request_id = newRequestId()
      let rate: RateState | undefined
      const answer = await images
        .run({
          ...originOf(request, request_id, server, { surface: 'images', forms: COMMON_FORMS, render }),
          memoryFor: () => form.memoryFor(request),
          read: (admitted) => form.read(library, admitted),
          onRate(state) {
            rate = state
          },
        })
        .catch((thrown: unknown) => failureAnswer({ thrown, request, request_id, render, log }))
      if (rate) for (const [name, value] of rateHeaders(rate)) answer.headers.set(name, value)
      // What was not read of a body would go on coming in on a socket that is kept.
      if (request.body && !request.bodyUsed) answer.headers.set('connection', 'close')
      return answer
    }

    const unparsed = { parse: 'none' } as const
    return new Elysia({ name: 'images' })
      .post(
        '/v1/images/generations',
        ({ request, server }) => serve(request, server, GENERATION, renderImageErrorWithoutDebt),
        unparsed,
      )
      .post(
        '/v1/images/edits',
        ({ request, server }) => serve(request, server, editForm(request), renderImageError),
        unparsed,
      )
      .post(
        '/v1/images/compose',
        ({ request, server }) => serve(request, server, COMPOSE, renderImageErrorWithoutDebt),
        unparsed,
      )
  }
}

/** As OpenAI names them: https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers */
function rateHeaders({ limit, remaining, resets_in_s }: RateState): [name: string, value: string][] {
  return [
    ['x-ratelimit-limit-requests', String(limit)],
    ['x-ratelimit-remaining-requests', String(remaining)],
    ['x-ratelimit-reset-requests', `${resets_in_s}s`],
  ]
}

export const images = imagesWith({})
