// A prompt that is too long for its model, in the words and with the code of OpenAI.
import { invalidRequest } from '../../domain/errors.ts'
import { CONTEXT_LENGTH_EXCEEDED } from '../facts.ts'
import { leastTokensIn } from '../least-tokens.ts'

export const leastTokens = leastTokensIn(['messages'], ['transforms', 'plugins'])

/** Clients look for the code, or for these words. */
export const promptTooLong = (tokens: number, context: number) =>
  tooLong(tokens, context, { param: 'messages', have: 'your messages have', them: 'them' })

/** The same of responses: https://github.com/dyad-sh/dyad/issues/1672 has the error of OpenAI's own. */
export const inputTooLong = (tokens: number, context: number) =>
  tooLong(tokens, context, { param: 'input', have: 'your input has', them: 'it' })

const tooLong = (
  tokens: number,
  context: number,
  { param, have, them }: { param: string; have: string; them: string },
) =>
  invalidRequest(
    `This model's maximum context length is ${context} tokens. However, ${have} at least ${tokens} tokens. Please shorten ${them}.`,
    { code: CONTEXT_LENGTH_EXCEEDED, param },
  )
