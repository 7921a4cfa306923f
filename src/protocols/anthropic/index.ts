// The messages protocol: its functions, gathered.
import type { Protocol } from '../protocol.ts'
import { carries } from './carries.ts'
import { completing } from './complete.ts'
import { decodeAnswer } from './decode-answer.ts'
import { decodeRequest } from './decode-request.ts'
import { createStreamDecoder } from './decode-stream.ts'
import { encodeAnswer } from './encode-answer.ts'
import { encodeRequest, TOOL_NAMES } from './encode-request.ts'
import { createStreamEncoder } from './encode-stream.ts'
import { renderError, renderStreamError } from './errors.ts'
import { extras } from './extras.ts'
import { readFailure } from './failure.ts'
import { fitRequest } from './fit.ts'
import { mediaFields } from './media-places.ts'
import { messagesNames } from './names.ts'
import { leastTokens, limitOutput, prepare, promptTooLong, readRequest } from './request.ts'
import { isOwn } from './signature.ts'
import { stream } from './stream.ts'
import { baseUrlAdvice, MODEL_LIST, serverOf, target } from './target.ts'
import { estimateOutput, readUsage, showUsage } from './usage.ts'

export const anthropic: Protocol = {
  name: 'anthropic',
  key_header: 'x-api-key',
  baseUrlAdvice,
  serverOf,
  model_list: MODEL_LIST,
  carries,
  readFailure,
  renderError,
  renderStreamError,
  text: {
    readRequest,
    leastTokens,
    promptTooLong,
    names: messagesNames,
    media: mediaFields,
    prepare,
    fit: fitRequest,
    limitOutput,
    target,
    readUsage,
    showUsage,
    requires_limit: true,
    estimateOutput,
    empty: { answers_in: 'content' },
    stream,
    completing,
    model_places: { answer: ['model'], event: ['message', 'model'], once: true },
    extras,
    tool_names: TOOL_NAMES,
    decodeRequest,
    encodeRequest,
    takesThinking: ({ signature }) => signature !== undefined && isOwn(signature),
    decodeAnswer,
    encodeAnswer,
    createStreamDecoder,
    createStreamEncoder,
  },
}
