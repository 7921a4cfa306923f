// The native generation protocol: its functions, gathered.

import { VERTEX_AI } from '../../domain/servers/vertex.ts'
import type { Protocol } from '../protocol.ts'
import { carries } from './carries.ts'
import { completing } from './complete.ts'
import { decodeAnswer } from './decode-answer.ts'
import { decodeRequest } from './decode-request.ts'
import { createStreamDecoder } from './decode-stream.ts'
import { geminiEmbeddings } from './embeddings.ts'
import { encodeAnswer } from './encode-answer.ts'
import { encodeRequest, TOOL_NAMES } from './encode-request.ts'
import { createStreamEncoder } from './encode-stream.ts'
import { renderError, renderStreamError } from './errors.ts'
import { extras } from './extras.ts'
import { readFailure } from './failure.ts'
import { fitRequest } from './fit.ts'
import { geminiImages } from './images.ts'
import { mediaFields } from './media-places.ts'
import { generateNames } from './names.ts'
import { leastTokens, limitOutput, prepare, promptTooLong, readRequest } from './request.ts'
import { ownSignature } from './signature.ts'
import { stream } from './stream.ts'
import { baseUrlAdvice, MODEL_LIST, target } from './target.ts'
import { estimateOutput, readUsage, showUsage } from './usage.ts'

export const gemini: Protocol = {
  name: 'gemini',
  key_header: 'x-goog-api-key',
  baseUrlAdvice,
  serverOf: ({ server }) => (server === VERTEX_AI ? VERTEX_AI : undefined),
  model_list: MODEL_LIST,
  carries,
  readFailure,
  renderError,
  renderStreamError,
  text: {
    readRequest,
    leastTokens,
    promptTooLong,
    names: generateNames,
    media: mediaFields,
    lists: ['contents', 'tools'],
    prepare,
    fit: fitRequest,
    limitOutput,
    target,
    readUsage,
    showUsage,
    estimateOutput,
    empty: { answers_in: 'candidates', needs_entry: true, omits_zeros: true },
    stream,
    completing,
    model_places: { answer: ['modelVersion'], event: ['modelVersion'] },
    extras,
    tool_names: TOOL_NAMES,
    decodeRequest,
    encodeRequest,
    takesThinking: ({ kind, signature }) => kind === 'thinking' && ownSignature(signature) !== undefined,
    decodeAnswer,
    encodeAnswer,
    createStreamDecoder,
    createStreamEncoder,
  },
  images: geminiImages,
  embeddings: geminiEmbeddings,
}
