// Glyph names in a PDF's fonts, and the maximum tokens of the characters that they name.
// https://github.com/adobe-type-tools/agl-specification
import type { MediaWork } from './work.ts'

/** A character of Unicode's basic plane has at most three bytes of UTF-8, and a token has at least one byte. */
export const MAX_SIGN_TOKENS = 3

/** Names of Latin letters with diacritics, of digits, and of common signs: each is one token in every vocabulary. */
const LATIN =
  /^(?:[A-Za-z]|[A-Za-z]{1,2}(?:acute|grave|circumflex|dieresis|tilde|ring|cedilla|caron|slash|ogonek|macron|breve))$/
const LATIN_NAMES: ReadonlySet<string> = new Set(
  `space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen minus period
slash zero one two three four five six seven eight nine colon semicolon less equal greater question at bracketleft backslash
bracketright asciicircum underscore grave braceleft bar braceright asciitilde quoteleft quoteright quotedblleft quotedblright
quotesinglbase quotedblbase guillemotleft guillemotright guilsinglleft guilsinglright endash emdash bullet ellipsis degree section
paragraph copyright registered trademark cent sterling yen Euro currency florin exclamdown questiondown brokenbar ordfeminine
ordmasculine periodcentered acute dieresis cedilla macron circumflex tilde caron breve dotaccent ring ogonek hungarumlaut plusminus
multiply divide mu logicalnot onesuperior twosuperior threesuperior onequarter onehalf threequarters fraction dagger daggerdbl
perthousand AE ae OE oe germandbls dotlessi Eth eth Thorn thorn nbspace sfthyphen fi fl ff ffi ffl`.split(
    /\s+/,
  ),
)

/** The work to extract a name from a list, and to decode it. */
const NAME_STEPS = 300

/** The maximum tokens of a glyph name, such as `f_f_i` or `uni00410042`. @throws Unreadable */
export function tokensOfGlyphs(body: string, work: MediaWork): number {
  let most = 1
  for (const [, names] of body.matchAll(/\/Differences\b\s*(?:\[([^[\]]*)\])?/g)) {
    work.spend(NAME_STEPS)
    if (names === undefined) return Number.POSITIVE_INFINITY
    for (let at = names.indexOf('/'); at >= 0; ) {
      const next = names.indexOf('/', at + 1)
      const [name = ''] = names.slice(at + 1, next < 0 ? undefined : next).split(/\s/, 1)
      work.spend(NAME_STEPS + name.length * NAME_CHAR_STEPS)
      most = Math.max(most, tokensOfGlyph(name))
      at = next
    }
  }
  return most
}

const NAME_CHAR_STEPS = 30

function tokensOfGlyph(name: string): number {
  if (LATIN.test(name) || LATIN_NAMES.has(name) || name === '.notdef') return 1
  const hex = /^u(?:ni)?([\dA-F]{4,})/i.exec(name)?.[1]?.length ?? 0
  return Math.max(name.split('_').length, Math.ceil(hex / 4)) * MAX_SIGN_TOKENS
}
