// Guessable keys: few characters or common words, usually chosen by hand. Only the hash of an imported key is known.
import { hashKey } from '../../../src/access/secret.ts'

const WORDS = (
  'admin api app bot chat claude client company customer default demo dev dev-key development example foo gateway gemini gpt guest hello home ' +
  'internal key litellm llm local main master master-key my my-key mykey openai openwebui password playground prod production proxy public ' +
  'root secret server service sk stage staging super-secret team temp test test-key testing token user virtual webui work'
).split(' ')
const ENDINGS = ['', ...'1 12 123 1234 12345 123456 12345678 2023 2024 2025 2026 !'.split(' ')]
const MAX_DIGITS = 5
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Yields texts of one to three letters and digits, of one to five digits, and of one or two words with a common ending. */
function* guesses(): Generator<string> {
  const shorter = ['', ...ALPHABET]
  for (const one of ALPHABET) for (const two of shorter) for (const three of shorter) yield one + two + three
  for (let digits = 1; digits <= MAX_DIGITS; digits++)
    for (let number = 0; number < 10 ** digits; number++) yield String(number).padStart(digits, '0')
  yield* ['1234567', '12345678', '123456789', '1234567890', '111111', '000000', '123123', '654321']
  for (const word of WORDS) {
    for (const end of ENDINGS) for (const between of ['', '-', '_']) yield word + between + end
    for (const other of WORDS) for (const between of ['', '-', '_']) yield word + between + other
  }
}

let known: ReadonlySet<string> | undefined

/** Whether a key is easy to guess, by the SHA-256 of its whole text. */
export function isGuessableKey(sha256: Uint8Array): boolean {
  known ??= new Set(Array.from(guesses(), (guess) => hashKey(`sk-${guess}`).toString('latin1')))
  return known.has(Buffer.from(sha256).toString('latin1'))
}
