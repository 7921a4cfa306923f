// The estimate of a text request's input, once its model is known.
import type { TextModel } from '../../../domain/catalogue.ts'
import { estimateFor, estimateMedia } from '../../../domain/media/tokens.ts'
import { knownAs } from '../../../protocols/canonical/request.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'

/** The request with its media estimated as its model reads them: never above what is held for them. */
export function estimatedFor({ routes, context }: TextModel, facts: RequestFacts): RequestFacts {
  const { media } = facts
  if (!media) return facts
  const text_tokens = facts.input_tokens - estimateMedia(media)
  return { ...facts, input_tokens: text_tokens + estimateFor(media, routes.map(knownAs), context) }
}
