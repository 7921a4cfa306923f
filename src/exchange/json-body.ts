// A request's JSON body, read within its surface's limit and parsed.
import { readBytes } from '../http/body.ts'
import { type JsonBody, parseJsonBody } from '../protocols/wire/json-body.ts'
import type { Names } from '../protocols/wire/json-names.ts'

/**
 * Reads and parses a JSON object.
 *
 * @param limit_bytes the surface's limit
 * @param names what decides the request, where its bytes are passed on
 * @throws GatewayError payload_too_large, or invalid_request for what is no JSON object, or could be read as two
 */
export const readJsonBody = async (request: Request, limit_bytes: number, names?: Names): Promise<JsonBody> =>
  parseJsonBody(await readBytes(request, limit_bytes), names)
