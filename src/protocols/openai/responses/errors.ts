// A failure inside a streamed response. Before its first byte it has the shape of all of OpenAI's errors.
import type { GatewayError } from '../../../domain/errors.ts'
import { renderError } from '../errors.ts'

/** The data of the event `error`; the frame adds its place in the stream. */
export function renderStreamError(error: GatewayError): string {
  const { status, body } = renderError(error)
  const { message, param, code, type } = body.error as Record<string, string | null>
  return JSON.stringify({ type: 'error', code: code ?? type, message, param, status })
}
