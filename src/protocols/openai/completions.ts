// The legacy completions protocol, which callers speak and no provider does: its verbs, gathered.
import { leastTokensIn } from '../least-tokens.ts'
import type { CallerProtocol } from '../protocol.ts'
import { NO_NAMES } from '../wire/json-names.ts'
import { createCompletionEncoder, encodeCompletion } from './completions-answer.ts'
import { decodeCompletionRequest, readCompletionRequest } from './completions-request.ts'
import { promptTooLong } from './context.ts'
import { renderStreamError } from './errors.ts'

export const completions: CallerProtocol = {
  name: 'completions',
  renderStreamError,
  text: {
    readRequest: readCompletionRequest,
    leastTokens: leastTokensIn(['prompt']),
    promptTooLong,
    // Every request is translated: none of its bytes are passed on.
    names: NO_NAMES,
    decodeRequest: decodeCompletionRequest,
    encodeAnswer: encodeCompletion,
    createStreamEncoder: createCompletionEncoder,
  },
}
