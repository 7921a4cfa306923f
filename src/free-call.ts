// Owns a call that costs nothing and asks no vendor: who calls, then an answer of the gateway's own.
import type { Caller } from './access/gate.ts'
import { failureAnswer, jsonAnswer } from './answers.ts'
import type { Gateway } from './gateway.ts'
import { originOf, type Server, type Surface } from './origin.ts'

export interface FreeCall extends Surface {
  request: Request
  server: Server
  /** A further name of the header that carries the request's id. */
  id_header?: string
  /** What is answered, as JSON where it is no answer by itself; comes after the key was checked. */
  answer: (caller: Caller) => unknown
}

/**
 * Answers, or refuses in the surface's shape. Such calls count against no limit: they are how a caller looks at his
 * limits, and at what is his.
 */
export async function serveFree({ gate, log, newRequestId }: Gateway, call: FreeCall): Promise<Response> {
  const { request, server, render, id_header, answer } = call
  const request_id = newRequestId()
  const named = id_header === undefined ? {} : { id_header }
  try {
    const { credential, address } = originOf(request, request_id, server, call)
    const answered = await answer(gate.admit(credential, address))
    if (!(answered instanceof Response))
      return jsonAnswer(answered, request_id, id_header === undefined ? {} : { [id_header]: request_id })
    answered.headers.set('x-request-id', request_id)
    return answered
  } catch (thrown) {
    return failureAnswer({ thrown, request_id, render, log, ...named })
  }
}
