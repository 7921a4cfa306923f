// Upper bounds of a text's tokens, by classes of characters, for holds.

/**
 * The letters that often follow each letter of the alphabet, in English, code and other languages in Latin script. They cover 19 of
 * 20 pairs in words. Tokenizers join letters that often follow each other, and rarely others.
 */
const FOLLOWING: readonly string[] =
  `bcdgilmnprstuy aelouy acehklortu adeios acdefilmnpqrstvwxy aeioru aei aeiortu abcdefglmnopqrstvz es e adeilostuy abeiops
acdegiklostu bcdfgklmnoprstuvw aeiloprstu u acdeikmnorstuy acehiopstu acehioprstuy begilmnprst aeio aehino pt pt a`.split(
    /\s+/,
  )

/** Costs are integers in this fraction of a token. */
const PARTS = 12
/** The cost of a common follower after a word's first four letters, measured for Zulu and Swahili in OpenAI's older vocabularies. */
const JOINED = PARTS / 3
/** The cost of a space after two others. */
const MORE_SPACE = PARTS / 4
/** A longer unbroken run of letters, digits and base64 signs is no text. */
const MAX_WORD_CHARS = 32

/** The kinds of ASCII characters. The cost of `OTHER` is in `COSTS`. */
const OTHER = 0
const SPACE = 1
const SMALL = 2
const LARGE = 3
const FIGURE = 4
const LINE = 5
const PUNCTUATION = 6
/** The signs of base64, in both of its alphabets. */
const JOINING = 7

/** A pseudo character that stands for two or more spaces before a character. */
const MORE_SPACES = '\u001f'
const isSpace = (before: string): boolean => before === ' ' || before === MORE_SPACES

const kindIn = (char: string): number => {
  if (/[a-z]/.test(char)) return SMALL
  if (/[A-Z]/.test(char)) return LARGE
  if (/\d/.test(char)) return FIGURE
  if (char === ' ') return SPACE
  if (/[\t\n\r]/.test(char)) return LINE
  if (/[+/=_-]/.test(char)) return JOINING
  return /[!-~]/.test(char) ? PUNCTUATION : OTHER
}
const ASCII = 128
const KINDS = Uint8Array.from({ length: ASCII }, (_, code) => kindIn(String.fromCharCode(code)))
const kindOf = (char: string): number => KINDS[char.charCodeAt(0)] ?? OTHER

/** A class has the cost of an ASCII character in its lowest bits, and flags for its relation to the text before it. */
const COST = 0xff
/** It continues an unbroken run. */
const UNBROKEN_FLAG = 0x100
/** It begins a word, whose next three letters belong to its token; two if the preceding space does. */
const BEGINS = 0x200
/** It continues a word. */
const JOINS = 0x400

function classOf(before: string, char: string): number {
  switch (kindOf(char)) {
    case FIGURE:
      return PARTS | UNBROKEN_FLAG
    case SPACE:
      return before === MORE_SPACES ? MORE_SPACE : PARTS
    case LINE:
      return PARTS
    case PUNCTUATION:
      return signCost(before, char)
    case JOINING:
      return signCost(before, char) | UNBROKEN_FLAG
    case SMALL:
    case LARGE:
      return letterClass(before, char) | UNBROKEN_FLAG
    default:
      return COSTS[char.charCodeAt(0)] ?? 0
  }
}

/** All vocabularies have each sign with a preceding space as one token, and pairs of signs that are used for lines. */
const signCost = (before: string, char: string): number => {
  if (isSpace(before)) return 0
  return before === char && /[-=*#_./]/.test(char) ? PARTS / 2 : PARTS
}

function letterClass(before: string, char: string): number {
  const [kind_before, kind] = [kindOf(before), kindOf(char)]
  const goes_on = kind_before === LARGE || (kind_before === SMALL && kind === SMALL)
  if (!goes_on) return (isSpace(before) ? 0 : PARTS) | BEGINS
  const following = FOLLOWING[before.toLowerCase().charCodeAt(0) - 'a'.charCodeAt(0)]
  if (!following?.includes(char.toLowerCase())) return PARTS
  return kind === LARGE ? PARTS : JOINED | JOINS
}

/**
 * The maximum tokens of a UTF-16 unit that is no ASCII text, by its first code: its bytes in UTF-8, since a token has at least one byte.
 */
const TOKENS_FROM: readonly (readonly [first: number, tokens: number])[] = [
  [0, 4], // Control characters, which JSON writes with six characters.
  [0x80, 2],
  [0x430, 1], // Russian lower-case letters, which all vocabularies have.
  [0x450, 2],
  [0x800, 3],
  [0xd800, 2], // Surrogates: halves of emoji and other characters beyond the basic plane.
  [0xe000, 3],
]
const COSTS = new Uint8Array(0x10000)
for (const [first, tokens] of TOKENS_FROM) COSTS.fill(tokens * PARTS, first)

const SPACE_CODE = 0x20
const MORE_SPACES_CODE = MORE_SPACES.charCodeAt(0)
const CODES = Array.from({ length: ASCII }, (_, code) => code)
const LETTERS = CODES.filter((code) => KINDS[code] === SMALL || KINDS[code] === LARGE)
/** The characters whose class depends on this predecessor. */
function dependentOn(before: number): readonly number[] {
  if (before === SPACE_CODE || before === MORE_SPACES_CODE) return CODES
  return LETTERS.includes(before) ? LETTERS : [before]
}
/** The class of each ASCII character by its predecessor. Computing all 16,384 pairs by `classOf` would take 5 ms at each start. */
const CLASSES = new Uint16Array(ASCII * ASCII)
const AFTER_OTHERS = CODES.map((code) => classOf('\0', String.fromCharCode(code)))
for (const before of CODES) {
  CLASSES.set(AFTER_OTHERS, before << 7)
  for (const code of dependentOn(before))
    CLASSES[(before << 7) | code] = classOf(String.fromCharCode(before), String.fromCharCode(code))
}

/**
 * Returns the maximum tokens of a text, for a hold. Signs, digits, spaces, lines, capitals and rare pairs of letters count as a token
 * each, other scripts as a token per byte: no tokenizer makes more of them. Words of common pairs count as prose, at about 1.5 times
 * their estimate. Letters chosen to look like prose cannot be detected: such words have two to three times as many tokens, and the
 * caller owes the amount above the hold.
 *
 * @returns tokens, not rounded; at least a quarter of the text's bytes in a JSON string
 */
export function boundText(text: string): number {
  // A lone surrogate is sent as U+FFFD, which has one byte more.
  const sent = text.toWellFormed()
  let cost = 0
  let before = 0
  let joined = 0
  let broken_at = -1
  for (let at = 0; at < sent.length; at++) {
    const code = sent.charCodeAt(at)
    if (code >= ASCII) {
      cost += COSTS[code] ?? 0
      before = 0
      broken_at = at
      continue
    }
    const found = CLASSES[(before << 7) | code] ?? 0
    const is_more = code === SPACE_CODE && (before === SPACE_CODE || before === MORE_SPACES_CODE)
    before = is_more ? MORE_SPACES_CODE : code
    if ((found & UNBROKEN_FLAG) === 0) {
      cost += found & COST
      broken_at = at
    } else if (at - broken_at > MAX_WORD_CHARS) cost += Math.max(found & COST, PARTS)
    else if ((found & JOINS) !== 0 && joined > 0) joined -= 1
    else {
      cost += found & COST
      if ((found & BEGINS) !== 0) joined = (found & COST) === 0 ? 2 : 3
    }
  }
  return cost / PARTS
}
