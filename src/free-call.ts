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
  /** What is answered; comes after the key was checked. */
  answer: (caller: Caller) => unknown
}

/**
 * Answers with JSON, or with the refusal in the surface's shape. Such calls count against no limit: they are how a
 * caller looks at his limits.
 */
export function serveFree({ gate, log, newRequestId }: Gateway, call: FreeCall): Response {
  const { request, server, render, id_header, answer } = call
  const request_id = newRequestId()
  try {
    const { credential, address } = originOf(request, request_id, server, call)
    const body = answer(gate.admit(credential, address))
    return jsonAnswer(body, request_id, id_header === undefined ? {} : { [id_header]: request_id })
  } catch (thrown) {
    return failureAnswer({
      thrown,
      request_id,
      render,
      log,
      ...(id_header === undefined ? {} : { id_header }),
    })
  }
}
