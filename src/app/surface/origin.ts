// The beginning of a call: its credential in the forms of its surface, and the facts of its socket.
import { type CredentialForm, credentialOf } from '../../access/gate.ts'
import type { CallOrigin } from '../../calls/life/call.ts'
import type { RenderError } from '../../http/answers.ts'
import type { Sockets } from '../../http/sockets.ts'

/** The common parts of all calls of a surface. */
export interface Surface {
  surface: string
  /** Where its callers put their keys. */
  forms: readonly CredentialForm[]
  render: RenderError
  /** A further name of the header that carries a request's id. */
  id_header?: string
}

/** A request as the beginning of a call. */
export function originOf(
  request: Request,
  request_id: string,
  sockets: () => Sockets | null,
  { surface, forms, render, id_header }: Surface,
): CallOrigin {
  const credential = credentialOf(request, forms)
  return { request, request_id, surface, credential, sockets, render, id_header, known: {} }
}
