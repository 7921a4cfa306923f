// Image models asked in conversations: what their provider answers, and what is read of requests and answers.
import { Buffer } from 'node:buffer'
import { usage } from '../support/native.ts'
import { type Answer, whole } from '../support/upstream.ts'

/** A signature of the provider's, on a picture of its own. */
export const SIGNATURE = Buffer.from('signed by the provider').toString('base64')
export const USAGE = usage(10, 1_290, { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }] })

export const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** A part of a request or an answer with an image in it. */
export const inline = (bytes: Uint8Array, mimeType = 'image/png') => ({
  inlineData: { mimeType, data: base64Of(bytes) },
})

/** What a Gemini image model answers: text, a draft among its thoughts, and a signed picture. */
export const drawsSigned = (bytes: Uint8Array): Answer =>
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
export const MODEL_SAYS = (...parts: object[]) => ({ role: 'model', parts })
export const ASKED = { text: 'a red house' }
