// Image models in conversations: their provider's answer, and the parts of requests and answers.
import { Buffer } from 'node:buffer'
import { usage } from '../support/native.ts'
import { type Answer, whole } from '../support/upstream.ts'

/** The provider's signature of an image that it generated. */
export const SIGNATURE = Buffer.from('signed by the provider').toString('base64')
export const USAGE = usage(10, 1_290, { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }] })

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** A part with an image, of a request or an answer. */
export const inline = (bytes: Uint8Array, mimeType = 'image/png') => ({
  inlineData: { mimeType, data: base64Of(bytes) },
})

/** The answer of a Gemini image model: text, a draft among its thoughts, and a signed image. */
export const signedImage = (bytes: Uint8Array): Answer =>
  whole({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Here it is.' },
            { thought: true, ...inline(Buffer.from('draft')) },
            { ...inline(bytes), thoughtSignature: SIGNATURE },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: USAGE,
  })

export const USER = (...parts: object[]) => ({ role: 'user', parts })
export const MODEL_TURN = (...parts: object[]) => ({ role: 'model', parts })
export const PROMPT = { text: 'a red house' }
