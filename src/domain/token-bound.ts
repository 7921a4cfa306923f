// Token bounds of texts, by class of characters: what a hold covers, however little the text looks like prose.

/**
 * The letters that often follow each letter of the alphabet, in English, code and other languages in Latin letters: nineteen of
 * twenty pairs in words are among them. Tokenizers join letters that follow each other often, and seldom others.
 */
const FOLLOWING: readonly string[] =
  `bcdgilmnprstuy aelouy acehklortu adeios acdefilmnpqrstvwxy aeioru aei aeiortu abcdefglmnopqrstvz es e adeilostuy abeiops
acdegiklostu bcdfgklmnoprstuvw aeiloprstu u acdeikmnorstuy acehiopstu acehioprstuy begilmnprst aeio aehino pt pt a`.split(
    /\s+/,
  )

/** Costs are whole numbers of this part of a token: a character of prose is a quarter, one of base64 1 of 1.3. */
const PARTS = 52
const PROSE = PARTS / 4
const UNBROKEN = PARTS / 1.3
const SELDOM_PAIR = (PARTS * 3) / 4
const CAPITAL = PARTS / 2
/** Vocabularies of today have no token of two digits: Gemma, Qwen and others split all numbers. */
const DIGIT = PARTS
const SIGN = 46
const SIGN_AFTER_SIGN = 36
const LINE_AFTER_LINE = PARTS / 2
/** No word is longer; letters, digits and the signs of base64 without a break are no text then. */
const MAX_WORD_CHARS = 32

/** The kinds of ASCII characters. All else is `OTHER`: its cost is in `COSTS`. */
const OTHER = 0
const SPACE = 1
const SMALL = 2
const LARGE = 3
const FIGURE = 4
const LINE = 5
const PUNCTUATION = 6
/** Of base64, in both of its alphabets. */
const JOINING = 7

const kindOf = (char: string): number => {
  if (/[a-z]/.test(char)) return SMALL
  if (/[A-Z]/.test(char)) return LARGE
  if (/\d/.test(char)) return FIGURE
  if (char === ' ') return SPACE
  if (/[\t\n\r]/.test(char)) return LINE
  if (/[+/=_-]/.test(char)) return JOINING
  return /[!-~]/.test(char) ? PUNCTUATION : OTHER
}

/** What an ASCII character costs, in its lowest bits, and what it is to the text before it. */
const COST = 0xff
/** It goes on with what stands before it, unbroken. */
const UNBROKEN_FLAG = 0x100
/** It begins a word, whose next three letters are in its token; two, where the space before it is. */
const BEGINS = 0x200
/** It goes on with a word. */
const JOINS = 0x400

function classOf(before: string, char: string): number {
  const [kind_before, kind] = [kindOf(before), kindOf(char)]
  const again = before === char
  switch (kind) {
    case FIGURE:
      return DIGIT | UNBROKEN_FLAG
    case SPACE:
      return PROSE
    case LINE:
      return again ? LINE_AFTER_LINE : PARTS
    case PUNCTUATION:
    case JOINING:
      return signCost(kind_before, again && !/["\\]/.test(char)) | (kind === JOINING ? UNBROKEN_FLAG : 0)
    case SMALL:
    case LARGE:
      return letterClass(before, char) | UNBROKEN_FLAG
    default:
      return COSTS[char.charCodeAt(0)] ?? 0
  }
}

/** @param again the same sign once more; quotes and backslashes, which JSON writes as two characters, are none */
const signCost = (before: number, again: boolean): number => {
  if (before !== PUNCTUATION && before !== JOINING) return SIGN
  return again ? PROSE : SIGN_AFTER_SIGN
}

function letterClass(before: string, char: string): number {
  const [kind_before, kind] = [kindOf(before), kindOf(char)]
  const goes_on = kind_before === LARGE || (kind_before === SMALL && kind === SMALL)
  if (!goes_on) return (kind_before === SPACE ? PARTS - PROSE : PARTS) | BEGINS
  const following = FOLLOWING[before.toLowerCase().charCodeAt(0) - 'a'.charCodeAt(0)]
  if (!following?.includes(char.toLowerCase())) return SELDOM_PAIR
  return kind === LARGE ? CAPITAL : PROSE | JOINS
}

/**
 * Tokens of a UTF-16 unit outside of ASCII's text, from its first code on: the most that o200k, cl100k or Claude's published
 * tokenizer makes of a text of such characters at random. A token is a byte at least, so that none is more than four for a pair of
 * surrogates, and few are less for scripts that are rare.
 */
const TOKENS_FROM: readonly (readonly [first: number, tokens: number])[] = [
  [0, 4], // Control characters; JSON writes them with six.
  [0x80, 1.45], // Western Europe's letters and signs.
  [0x100, 2.1],
  [0x370, 1.8], // Greek.
  [0x400, 0.95], // Cyrillic.
  [0x460, 2.1],
  [0x5d0, 1.5], // Hebrew.
  [0x5eb, 2.1],
  [0x620, 1.45], // Arabic.
  [0x64b, 2.1],
  [0x800, 3.1],
  [0x900, 2], // Devanagari.
  [0x980, 3.1],
  [0xe00, 2.05], // Thai.
  [0xe50, 3.1],
  [0x10d0, 2.05], // Georgian.
  [0x1100, 3.1],
  [0x2010, 1.45], // Dashes and quotation marks.
  [0x2028, 3.1],
  [0x2500, 2.05], // Lines of boxes.
  [0x25a0, 3.1],
  [0x3000, 2], // Punctuation of East Asia, and Japan's syllables.
  [0x3041, 1.65],
  [0x3100, 3.1],
  [0x4e00, 2.4], // Han.
  [0xa000, 3.1],
  [0xac00, 2.7], // Hangul.
  [0xd7a4, 3.1],
  [0xd800, 2], // Halves of emoji and of all else beyond the first plane.
  [0xe000, 3.1],
  [0xff01, 1.75], // ASCII's signs in full width.
  [0xff5f, 3.1],
]
const COSTS = new Uint8Array(0x10000)
for (const [first, tokens] of TOKENS_FROM) COSTS.fill(Math.ceil(tokens * PARTS), first)

const ASCII = 128
/** Of each ASCII character after each other one: what `classOf` says. */
const CLASSES = Uint16Array.from({ length: ASCII * ASCII }, (_, pair) =>
  classOf(String.fromCharCode(pair >> 7), String.fromCharCode(pair & 0x7f)),
)

/**
 * The most tokens of a text, for a hold. An estimate is what prose has on average; this is what any text of the same characters can
 * have: letters at random and punctuation two a token, digits one, runs that are no words 1.3, and scripts as tokenizers count
 * them. Prose and code come to a third above their estimate, which is what some tokenizers make of code.
 *
 * @returns tokens, not rounded; at least a quarter of the bytes that the text takes inside a JSON string
 */
export function boundText(text: string): number {
  let cost = 0
  let before = 0
  let joined = 0
  let broken_at = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= ASCII) {
      cost += COSTS[code] ?? 0
      before = 0
      broken_at = at
      continue
    }
    const found = CLASSES[(before << 7) | code] ?? 0
    before = code
    if ((found & UNBROKEN_FLAG) === 0) {
      cost += found & COST
      broken_at = at
    } else if (at - broken_at > MAX_WORD_CHARS) cost += Math.max(found & COST, UNBROKEN)
    else if ((found & JOINS) !== 0 && joined > 0) joined -= PROSE
    else {
      cost += found & COST
      if ((found & BEGINS) !== 0) joined = (found & COST) - PROSE
    }
  }
  return cost / PARTS
}
