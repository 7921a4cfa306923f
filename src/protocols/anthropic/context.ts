// A prompt that is too long for its model, in the messages protocol's words.
import { invalidRequest } from '../../domain/errors.ts'
import { leastTokensIn } from '../least-tokens.ts'

export const leastTokens = leastTokensIn(['system', 'messages'], ['context_management', 'compaction'])

/** Clients look for these words and numbers. */
export const promptTooLong = (tokens: number, context: number) =>
  invalidRequest(`prompt is too long: ${tokens} tokens > ${context} maximum`, { param: 'messages' })
