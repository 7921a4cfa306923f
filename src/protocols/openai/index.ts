// The chat completions protocol: its functions, gathered.
import type { Protocol } from '../protocol.ts'
import { openaiTranscriptions, openaiTranslations } from './audio-usage.ts'
import { carries } from './carries.ts'
import { completing } from './complete.ts'
import { decodeAnswer } from './decode-answer.ts'
import { decodeRequest } from './decode-request.ts'
import { createStreamDecoder } from './decode-stream.ts'
import { openaiEmbeddings } from './embeddings.ts'
import { encodeAnswer } from './encode-answer.ts'
import { encodeRequest } from './encode-request.ts'
import { createStreamEncoder } from './encode-stream.ts'
import { endpointFor } from './endpoint.ts'
import { renderError, renderStreamError } from './errors.ts'
import { extras } from './extras.ts'
import { readFailure } from './failure.ts'
import { openaiImages } from './images.ts'
import { mediaFields } from './media-places.ts'
import { openaiModerations } from './moderations.ts'
import { chatNames } from './names.ts'
import { leastTokens, limitOutput, prepare, promptTooLong, readRequest } from './request.ts'
import { openaiRerank } from './rerank.ts'
import { fitRequest } from './servers/fit.ts'
import { serverOf, speaksResponses } from './servers/servers.ts'
import { openaiSpeech } from './speech.ts'
import { stream } from './stream.ts'
import { baseUrlAdvice, MODEL_LIST, TARGET } from './target.ts'
import { estimateOutput, readUsage, showUsage } from './usage.ts'

export const openai: Protocol = {
  name: 'openai',
  key_header: 'authorization',
  // For Ollama, vLLM and llama.cpp.
  keyless_over_http: true,
  baseUrlAdvice,
  serverOf,
  speaksResponses,
  model_list: MODEL_LIST,
  upstreamProtocolName: (call) => (endpointFor(call) === 'responses' ? 'responses' : 'openai'),
  carries,
  readFailure,
  renderError,
  renderStreamError,
  text: {
    readRequest,
    leastTokens,
    promptTooLong,
    names: chatNames,
    media: mediaFields,
    prepare,
    fit: fitRequest,
    limitOutput,
    target: () => TARGET,
    readUsage,
    showUsage,
    estimateOutput,
    empty: { answers_in: 'choices', needs_entry: true },
    stream,
    completing,
    model_places: { answer: ['model'], event: ['model'] },
    extras,
    decodeRequest,
    encodeRequest,
    decodeAnswer,
    encodeAnswer,
    createStreamDecoder,
    createStreamEncoder,
  },
  images: openaiImages,
  embeddings: openaiEmbeddings,
  speech: openaiSpeech,
  transcriptions: openaiTranscriptions,
  translations: openaiTranslations,
  moderations: openaiModerations,
  rerank: openaiRerank,
}
