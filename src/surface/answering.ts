// A surface's calls without Elysia's hooks: each gets an id of its own, and its failure becomes an answer.
import type { CallOrigin } from '../exchange/paid-call.ts'
import { failureAnswer } from '../http/answers.ts'
import type { Gateway } from './gateway.ts'
import { originOf, type Server, type Surface } from './origin.ts'

/** Answers one request. Whatever `serve` throws becomes an answer too. */
export type Answering = (
  request: Request,
  server: Server,
  serve: (origin: CallOrigin) => Response | Promise<Response>,
) => Promise<Response>

/** The answering of a surface's calls. */
export const answering =
  ({ log, newRequestId }: Pick<Gateway, 'log' | 'newRequestId'>, surface: Surface): Answering =>
  async (request, server, serve) => {
    const origin = originOf(request, newRequestId(), server, surface)
    try {
      return await serve(origin)
    } catch (thrown) {
      return failureAnswer({ ...origin, thrown, log })
    }
  }
