// Estimates of the tokens and the cost of a running call: the record has the exact figures at its end.
import type { Message } from './draft.ts'
import type { TextModel } from './models.ts'

const encoder = new TextEncoder()

/** Tokens of a text: in English four characters are one, in Chinese or Japanese one character is. */
export function estimatedTokens(text: string): number {
  return Math.ceil((3 * encoder.encode(text).length - text.length) / 8)
}

/** Each message has a few tokens of its own. */
const TOKENS_PER_MESSAGE = 4
/** Of a large picture: providers count it by its size. */
const TOKENS_PER_PICTURE = 1_600

export const estimatedPrompt = (messages: readonly Message[]): number =>
  messages.reduce(
    (sum, { content, pictures = [] }) =>
      sum + TOKENS_PER_MESSAGE + estimatedTokens(content) + pictures.length * TOKENS_PER_PICTURE,
    0,
  )

/** In nano-dollars. */
export const estimatedCost = (
  { input_nanos, output_nanos }: Pick<TextModel, 'input_nanos' | 'output_nanos'>,
  input_tokens: number,
  output_tokens: number,
): number => Math.round((input_tokens * input_nanos + output_tokens * output_nanos) / 1_000_000)
