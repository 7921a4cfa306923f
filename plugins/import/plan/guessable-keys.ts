// Keys that can be guessed: chosen by hand, of a few characters or of common words. Of an imported key only the hash is known.
import { hashKey } from '../../../src/access/secret.ts'

const WORDS = (
  'admin api app bot chat claude client company customer default demo dev dev-key development example foo gateway gemini gpt guest hello home ' +
  'internal key litellm llm local main master master-key my my-key mykey openai openwebui password playground prod production proxy public ' +
  'root secret server service sk stage staging super-secret team temp test test-key testing token user virtual webui work'
).split(' ')
const ENDS = ['', ...'1 12 123 1234 12345 123456 12345678 2023 2024 2025 2026 !'.split(' ')]
const MAX_DIGITS = 5
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Every text of one to three letters and digits, of one to five digits, and of one or two words with a usual end. */
function* guesses(): Generator<string> {
  const shorter = ['', ...LETTERS]
  for (const one of LETTERS) for (const two of shorter) for (const three of shorter) yield one + two + three
  for (let digits = 1; digits <= MAX_DIGITS; digits++)
    for (let number = 0; number < 10 ** digits; number++) yield String(number).padStart(digits, '0')
  yield* ['1234567', '12345678', '123456789', '1234567890', '111111', '000000', '123123', '654321']
  for (const word of WORDS) {
    for (const end of ENDS) for (const between of ['', '-', '_']) yield word + between + end
    for (const other of WORDS) for (const between of ['', '-', '_']) yield word + between + other
  }
}

let known: ReadonlySet<string> | undefined

/** Whether a key is among the first that somebody would try, by the SHA-256 of its whole text. */
export function isGuessableKey(sha256: Uint8Array): boolean {
  known ??= new Set(Array.from(guesses(), (guess) => hashKey(`sk-${guess}`).toString('latin1')))
  return known.has(Buffer.from(sha256).toString('latin1'))
}
