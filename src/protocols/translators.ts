// Owns the list of the verbs that translate: for each protocol, from and to the canonical form, whole and streamed.
import { decodeAnswer as decodeAnthropicAnswer } from './anthropic/decode-answer.ts'
import { decodeRequest as decodeAnthropicRequest } from './anthropic/decode-request.ts'
import { createStreamDecoder as createAnthropicDecoder } from './anthropic/decode-stream.ts'
import { encodeAnswer as encodeAnthropicAnswer } from './anthropic/encode-answer.ts'
import { encodeRequest as encodeAnthropicRequest } from './anthropic/encode-request.ts'
import { createStreamEncoder as createAnthropicEncoder } from './anthropic/encode-stream.ts'
import type {
  AnswerContext,
  ConversationAnswer,
  ConversationRequest,
  ProtocolName,
  StreamDecoder,
  StreamEncoder,
  TargetModel,
} from './canonical.ts'
import { decodeAnswer as decodeGeminiAnswer } from './gemini/decode-answer.ts'
import { decodeRequest as decodeGeminiRequest } from './gemini/decode-request.ts'
import { createStreamDecoder as createGeminiDecoder } from './gemini/decode-stream.ts'
import { encodeAnswer as encodeGeminiAnswer } from './gemini/encode-answer.ts'
import { encodeRequest as encodeGeminiRequest } from './gemini/encode-request.ts'
import { createStreamEncoder as createGeminiEncoder } from './gemini/encode-stream.ts'
import { decodeAnswer as decodeOpenaiAnswer } from './openai/decode-answer.ts'
import { decodeRequest as decodeOpenaiRequest } from './openai/decode-request.ts'
import { createStreamDecoder as createOpenaiDecoder } from './openai/decode-stream.ts'
import { encodeAnswer as encodeOpenaiAnswer } from './openai/encode-answer.ts'
import { encodeRequest as encodeOpenaiRequest } from './openai/encode-request.ts'
import { createStreamEncoder as createOpenaiEncoder } from './openai/encode-stream.ts'
import type { JsonObject } from './protocol.ts'

export interface Translator {
  /**
   * A caller's request.
   * @param streams what the address asks for, where the body does not say
   * @throws GatewayError invalid_request for what is malformed or cannot be carried
   */
  decodeRequest(body: JsonObject, streams: boolean): ConversationRequest
  /** The request for a provider. @throws GatewayError invalid_request for what this protocol cannot say */
  encodeRequest(request: ConversationRequest, target: TargetModel): JsonObject
  /** A provider's whole answer. @param call_id the gateway's id of the call, from which missing ids are made */
  decodeAnswer(body: JsonObject, call_id: string): ConversationAnswer
  /** The whole answer for a caller. */
  encodeAnswer(answer: ConversationAnswer, context: AnswerContext): JsonObject
  /** A reader of one provider's stream. @param call_id as for decodeAnswer */
  createStreamDecoder(call_id: string): StreamDecoder
  /** A writer of one caller's stream. */
  createStreamEncoder(context: AnswerContext): StreamEncoder
}

export const TRANSLATORS: Readonly<Record<ProtocolName, Translator>> = {
  gemini: {
    decodeRequest: decodeGeminiRequest,
    encodeRequest: encodeGeminiRequest,
    decodeAnswer: decodeGeminiAnswer,
    encodeAnswer: encodeGeminiAnswer,
    createStreamDecoder: createGeminiDecoder,
    createStreamEncoder: createGeminiEncoder,
  },
  anthropic: {
    decodeRequest: decodeAnthropicRequest,
    encodeRequest: encodeAnthropicRequest,
    decodeAnswer: decodeAnthropicAnswer,
    encodeAnswer: encodeAnthropicAnswer,
    createStreamDecoder: createAnthropicDecoder,
    createStreamEncoder: createAnthropicEncoder,
  },
  openai: {
    decodeRequest: decodeOpenaiRequest,
    encodeRequest: encodeOpenaiRequest,
    decodeAnswer: decodeOpenaiAnswer,
    encodeAnswer: encodeOpenaiAnswer,
    createStreamDecoder: createOpenaiDecoder,
    createStreamEncoder: createOpenaiEncoder,
  },
}
