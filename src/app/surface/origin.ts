// The origin of a call: its credential, in the forms that its surface accepts, and the facts of its socket.
import { type CredentialForm, credentialOf } from '../../access/gate.ts'
import type { CallOrigin } from '../../calls/life/call.ts'
import type { RenderError } from '../../http/answers.ts'
import type { Sockets } from '../../http/sockets.ts'

/** The properties common to all calls of a surface. */
export interface Surface {
  surface: string
  /** The accepted places of a caller's key. */
  forms: readonly CredentialForm[]
  render: RenderError
  /** A second header for the request ID. */
  id_header?: string
}

/** Creates the origin of a request. */
export function originOf(
  request: Request,
  request_id: string,
  sockets: () => Sockets | null,
  { surface, forms, render, id_header }: Surface,
): CallOrigin {
  const credential = credentialOf(request, forms)
  return { request, request_id, surface, credential, sockets, render, id_header, known: {} }
}
