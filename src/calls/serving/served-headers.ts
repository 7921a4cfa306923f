// The headers of what a provider has answered: its type, the request's id, and the provider's own name of the model.
import { type Identified, idHeaders } from '../../http/answers.ts'

const UPSTREAM_MODEL = 'x-tollgate-upstream-model'

/** @param upstream_model is written in the characters that a header may have */
export function servedHeaders(
  origin: Identified,
  content_type: string,
  upstream_model: string,
): Record<string, string> {
  const headers = idHeaders(origin)
  headers['content-type'] = content_type
  headers[UPSTREAM_MODEL] = encodeURI(upstream_model)
  return headers
}

/** The last of them alone, for answers that get the others elsewhere. */
export const upstreamModelHeader = (upstream_model: string): Record<string, string> => ({
  [UPSTREAM_MODEL]: encodeURI(upstream_model),
})
