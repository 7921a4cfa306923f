// Real tokenizers to check token bounds against: those of OpenAI's models, and one that splits numbers into digits.
import { Tiktoken } from 'js-tiktoken/lite'
import cl100k from 'js-tiktoken/ranks/cl100k_base'
import o200k from 'js-tiktoken/ranks/o200k_base'
import llama from 'llama-tokenizer-js'

/** The time for a piece without a break grows with the square of its length. */
const CHUNK_CHARS = 200

const countInPieces =
  (encode: (text: string) => readonly number[]) =>
  (text: string): number => {
    let tokens = 0
    for (let at = 0, end = 0; at < text.length; at = end) {
      const limit = at + CHUNK_CHARS
      // A space belongs to the next word's token, so a cut before it splits no token.
      const space = limit < text.length ? text.lastIndexOf(' ', limit) : -1
      end = space > at ? space : limit
      tokens += encode(text.slice(at, end)).length
    }
    return tokens
  }

const byteLevel = (ranks: ConstructorParameters<typeof Tiktoken>[0]) => {
  // Reading a vocabulary takes a second of the CPU.
  let tokenizer: Tiktoken | undefined
  return countInPieces((text) => {
    tokenizer ??= new Tiktoken(ranks)
    // No text is a special token.
    return tokenizer.encode(text, [], [])
  })
}

export type CountTokens = (text: string) => number

/** Counts tokens of GPT-4o and later. */
export const countO200k: CountTokens = byteLevel(o200k)
/** Counts tokens of GPT-4 and its time; models of others use its vocabulary. */
export const countCl100k: CountTokens = byteLevel(cl100k)
/** Counts tokens of Llama 2: one for each digit, as with Gemma and Qwen, and for each byte of unknown text. */
export const countLlama: CountTokens = countInPieces((text) => llama.encode(text, false, false))
