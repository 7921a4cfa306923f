// The responses protocol: its functions, gathered. Providers of chat completions also speak it if the catalogue says so.

import type { GatewayError } from '../../../domain/errors.ts'
import type { Protocol } from '../../protocol.ts'
import { renderError } from '../errors.ts'
import { readFailure } from '../failure.ts'
import { inputTooLong } from '../request.ts'
import { carries } from './carries.ts'
import { completing } from './complete.ts'
import { decodeAnswer, hasOtherItems } from './decode-answer.ts'
import { decodeRequest } from './decode-request.ts'
import { createStreamDecoder } from './decode-stream.ts'
import { encodeAnswer } from './encode-answer.ts'
import { encodeRequest } from './encode-request.ts'
import { createStreamEncoder } from './encode-stream.ts'
import { isOwn } from './encrypted.ts'
import { extras } from './extras.ts'
import { fitRequest, MIN_OUTPUT_TOKENS } from './fit.ts'
import { mediaFields } from './media-places.ts'
import { responsesNames } from './names.ts'
import { RECALLED } from './recalled.ts'
import { leastTokens, limitOutput, prepare, readRequest } from './request.ts'
import { ECHOED_FIELDS } from './response-object.ts'
import { stream } from './stream.ts'
import { estimateOutput, readUsage, showUsage } from './usage.ts'

/** The data of the event `error`; the frame adds its sequence number. */
function renderStreamError(error: GatewayError): string {
  const { status, body } = renderError(error)
  const { message, param, code, type } = body.error as Record<string, string | null>
  return JSON.stringify({ type: 'error', code: code ?? type, message, param, status })
}

export const responses: Protocol = {
  name: 'responses',
  key_header: 'authorization',
  isSpokenBy: (provider) => provider.protocol === 'openai' && provider.responses,
  carries,
  readFailure,
  renderError,
  renderStreamError,
  text: {
    readRequest,
    leastTokens,
    promptTooLong: inputTooLong,
    names: responsesNames,
    media: mediaFields,
    echoed_fields: [...ECHOED_FIELDS, RECALLED],
    prepare,
    fit: fitRequest,
    min_output_tokens: MIN_OUTPUT_TOKENS,
    limitOutput,
    target: () => ({ path: '/responses', headers: {} }),
    readUsage,
    showUsage,
    estimateOutput,
    empty: { answers_in: 'output', hasOther: hasOtherItems },
    stream,
    completing,
    model_places: { answer: ['model'], event: ['response', 'model'] },
    extras,
    decodeRequest,
    encodeAnswer,
    createStreamEncoder,
    encodeRequest,
    takesThinking: ({ signature }) => signature === undefined || isOwn(signature),
    decodeAnswer,
    createStreamDecoder,
  },
}
