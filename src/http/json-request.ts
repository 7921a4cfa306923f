// Reads a request's JSON, for routes that authenticate the caller before they read a body.
import { invalidRequest } from '../domain/errors.ts'
import { announcedBytes, readBytes } from './body.ts'

/**
 * @returns undefined for a request without a body
 * @throws GatewayError invalid_request if the body is no JSON; payload_too_large
 */
export async function readJson(request: Request, limit_bytes: number): Promise<unknown> {
  if (request.body === null) return undefined
  requireJson(request)
  announcedBytes(request, limit_bytes)
  const bytes = await readBytes(request, limit_bytes)
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw invalidRequest('The request body is not valid JSON.', { cause })
  }
}

/** @throws GatewayError invalid_request if the Content-Type is not JSON */
function requireJson({ headers }: Request): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw invalidRequest('The request body must be JSON. Send it with Content-Type: application/json.')
}
