// A prompt that is too long for its model, in the words and with the code of chat completions.
import { invalidRequest } from '../../domain/errors.ts'
import { CONTEXT_LENGTH_EXCEEDED } from '../facts.ts'
import { leastTokensIn } from '../least-tokens.ts'

export const leastTokens = leastTokensIn(['messages'], ['transforms', 'plugins'])

/** Clients look for the code, or for these words. */
export const promptTooLong = (tokens: number, context: number) =>
  invalidRequest(
    `This model's maximum context length is ${context} tokens. However, your messages have at least ${tokens} tokens. Please shorten them.`,
    { code: CONTEXT_LENGTH_EXCEEDED, param: 'messages' },
  )
