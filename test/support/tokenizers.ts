// Real tokenizers to check token bounds against: those of OpenAI's models, and one that splits numbers into digits.
import { Tiktoken } from 'js-tiktoken/lite'
import cl100k from 'js-tiktoken/ranks/cl100k_base'
import o200k from 'js-tiktoken/ranks/o200k_base'
import llama from 'llama-tokenizer-js'

/** Longer pieces without a break take a time that grows with the square of their length. */
const CHUNK_CHARS = 200

const counted =
  (encode: (text: string) => readonly number[]) =>
  (text: string): number => {
    let tokens = 0
    for (let at = 0, end = 0; at < text.length; at = end) {
      const limit = at + CHUNK_CHARS
      // A space begins the word after it: there nothing is cut that would be one token.
      const space = limit < text.length ? text.lastIndexOf(' ', limit) : -1
      end = space > at ? space : limit
      tokens += encode(text.slice(at, end)).length
    }
    return tokens
  }

const byteLevel = (ranks: ConstructorParameters<typeof Tiktoken>[0]) => {
  // Reading a vocabulary takes a second of the CPU.
  let tokenizer: Tiktoken | undefined
  return counted((text) => {
    tokenizer ??= new Tiktoken(ranks)
    // No text is a special token.
    return tokenizer.encode(text, [], [])
  })
}

export type CountTokens = (text: string) => number

/** Of GPT-4o and later. */
export const countO200k: CountTokens = byteLevel(o200k)
/** Of GPT-4 and its time; the vocabulary of others' models is made of it. */
export const countCl100k: CountTokens = byteLevel(cl100k)
/** Of Llama 2: a token for each digit, as with Gemma and Qwen, and for each byte of what it does not know. */
export const countLlama: CountTokens = counted((text) => llama.encode(text, false, false))
