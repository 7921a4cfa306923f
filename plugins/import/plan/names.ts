// Names of accounts and keys, derived from their names in the source: unchanged if they are valid and free.
import { isAccountName, isName } from '../../../src/access/accounts.ts'
import { MAX_NAME_CHARS, type TakenNames } from '../taken-names.ts'

/**
 * Returns an account name: the source's, else its letters without accents, else one derived from the row ("user 17" becomes `user-17`).
 * @param source_id of the row
 */
export function accountNameFor(name: string, source_id: string, taken: TakenNames): string {
  return taken.take(isAccountName(name) ? name : firstValidName([name, source_id], isAccountName))
}

/** Returns a key name in the same way; the row "token 12" becomes `key-12`. */
export function keyNameFor(name: string, source_id: string, taken: TakenNames): string {
  const of_row = `key-${source_id.replace(/^\w+ /, '')}`
  return taken.take(isName(name) ? name : firstValidName([name, of_row], isName))
}

const firstValidName = (texts: readonly string[], fits: (name: string) => boolean): string =>
  texts.map(asciiName).find(fits) ?? 'imported'

/** Latin letters without a Unicode decomposition. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}

/** Returns a name in ASCII; empty for a text with characters that have no ASCII form. */
function asciiName(text: string): string {
  const latin = [...text].map((letter) => LETTERS[letter] ?? letter).join('')
  // Without the lost letter it could be another person's name.
  const kept = latin.normalize('NFKD').replace(/\p{Mark}/gu, '')
  return /[^\0-\x7F]/.test(kept)
    ? ''
    : kept
        .trim()
        .replace(/[^A-Za-z0-9._@+-]+/g, '-')
        .replace(/^[^A-Za-z0-9]+|-+$/g, '')
        .slice(0, MAX_NAME_CHARS)
}
