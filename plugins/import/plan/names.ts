// Names of accounts and keys, made of what another gateway calls them: kept where they fit and are free.
import { isAccountName, isName } from '../../../src/access/accounts.ts'
import { MAX_NAME_CHARS, type TakenNames } from '../taken-names.ts'

/**
 * A name of an account: the source's own, else one of its letters without accents, else one of its row ("user 17" becomes `user-17`).
 * @param source_id of the row
 */
export function accountNameFor(name: string, source_id: string, taken: TakenNames): string {
  return taken.take(isAccountName(name) ? name : firstFitting([name, source_id], isAccountName))
}

/** The same of a key, whose row "token 12" becomes `key-12`. */
export function keyNameFor(name: string, source_id: string, taken: TakenNames): string {
  const of_row = `key-${source_id.replace(/^\w+ /, '')}`
  return taken.take(isName(name) ? name : firstFitting([name, of_row], isName))
}

const firstFitting = (texts: readonly string[], fits: (name: string) => boolean): string =>
  texts.map(spelledPlainly).find(fits) ?? 'imported'

/** Latin letters that Unicode does not take apart. */
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

/** Of a text in another script nothing may be left: then it is no name. */
function spelledPlainly(text: string): string {
  const latin = [...text].map((letter) => LETTERS[letter] ?? letter).join('')
  // A name of which a letter was lost would be another person's.
  const kept = latin.normalize('NFKD').replace(/\p{Mark}/gu, '')
  return /[^\0-\x7F]/.test(kept)
    ? ''
    : kept
        .trim()
        .replace(/[^A-Za-z0-9._@+-]+/g, '-')
        .replace(/^[^A-Za-z0-9]+|-+$/g, '')
        .slice(0, MAX_NAME_CHARS)
}
