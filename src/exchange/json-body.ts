// A request's JSON body, read within its surface's limit and parsed.
import { readBytes } from '../http/body.ts'
import { type JsonBody, parseJsonBody } from '../protocols/wire/json-body.ts'

/**
 * Reads and parses a JSON object.
 *
 * @param limit_bytes the surface's limit
 * @throws GatewayError payload_too_large, or invalid_request for what is no JSON object
 */
export const readJsonBody = async (request: Request, limit_bytes: number): Promise<JsonBody> =>
  parseJsonBody(await readBytes(request, limit_bytes))
