// A prompt that is too long for its model, in the native protocol's words.
import { invalidRequest } from '../../domain/errors.ts'
import { leastTokensIn } from '../least-tokens.ts'

export const leastTokens = leastTokensIn(['systemInstruction', 'system_instruction', 'contents'])

/** Clients look for these words. */
export const promptTooLong = (tokens: number, context: number) =>
  invalidRequest(
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${context}).`,
    { param: 'contents' },
  )
