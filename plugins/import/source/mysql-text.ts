// The syntax of a MySQL dump: strings, comments and values of rows, in a window of bytes read as Latin-1.

/**
 * Returned if the window ends too early: the caller reads more and tries again. Positions are never negative.
 * The grammar: https://dev.mysql.com/doc/refman/8.4/en/literals.html, .../comments.html
 */
const INCOMPLETE = -1

const [BACKSLASH, QUOTE, DOUBLE_QUOTE, BACKTICK, OPEN, CLOSE, COMMA] = [92, 39, 34, 96, 40, 41, 44]

const isQuote = (code: number): boolean => code === QUOTE || code === DOUBLE_QUOTE || code === BACKTICK

/** @param at of the opening quote @returns the position after the closing one */
function endOfQuoted(text: string, at: number, is_last: boolean): number {
  const quote = text.charCodeAt(at)
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKSLASH && quote !== BACKTICK) i += 1
    else if (code === quote) {
      if (text.charCodeAt(i + 1) === quote) i += 1
      else return i + 1 < text.length || is_last ? i + 1 : INCOMPLETE
    }
  }
  return INCOMPLETE
}

/** Skips white space and comments. Conditional comments too: in a dump they only set options. @returns the position after them */
export function endOfBlank(text: string, at: number, is_last: boolean): number {
  let i = at
  for (;;) {
    while (i < text.length && text.charCodeAt(i) <= 32) i += 1
    const end = endOfComment(text, i, is_last)
    if (end === i || end === INCOMPLETE) return end
    i = end
  }
}

function endOfComment(text: string, at: number, is_last: boolean): number {
  if (text.length - at < 3 && !is_last) return INCOMPLETE
  const is_line = text[at] === '#' || /^--(?:\s|$)/.test(text.slice(at, at + 3))
  if (!is_line && !text.startsWith('/*', at)) return at
  const end = is_line ? text.indexOf('\n', at) : text.indexOf('*/', at + 2)
  if (end === -1) return is_last && is_line ? text.length : INCOMPLETE
  return end + (is_line ? 1 : 2)
}

/** @returns the position after the delimiter that ends the statement */
export function endOfStatement(text: string, at: number, delimiter: string, is_last: boolean): number {
  if (delimiter !== ';') {
    const end = text.indexOf(delimiter, at)
    return end === -1 ? INCOMPLETE : end + delimiter.length
  }
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 59) return i + 1
    if (isQuote(code)) {
      const end = endOfQuoted(text, i, is_last)
      if (end === INCOMPLETE) return INCOMPLETE
      i = end - 1
    } else if (code === 35 || code === 45 || code === 47) {
      const end = endOfComment(text, i, is_last)
      if (end === INCOMPLETE) return INCOMPLETE
      if (end > i) i = end - 1
    }
  }
  return INCOMPLETE
}

export type DumpValue = string | number | bigint | Uint8Array | null

/** A row that cannot be read. Its message gives the reason, without values. */
export class UnreadableRow extends Error {}

/**
 * Reads a row in parentheses.
 * @param isWanted by column number; values of other columns are null
 * @param values receives the values of the row
 * @returns the position after the row, or INCOMPLETE
 * @throws UnreadableRow
 */
export function readRow(
  text: string,
  at: number,
  isWanted: (column: number) => boolean,
  values: DumpValue[],
): number {
  values.length = 0
  if (text.charCodeAt(at) !== OPEN) throw new UnreadableRow('a row begins with "("')
  let i = at + 1
  for (;;) {
    while (text.charCodeAt(i) <= 32) i += 1
    const end = endOfValue(text, i)
    if (end === INCOMPLETE) return INCOMPLETE
    values.push(isWanted(values.length) ? dumpValueOf(text.slice(i, end)) : null)
    i = end
    while (text.charCodeAt(i) <= 32) i += 1
    if (i >= text.length) return INCOMPLETE
    const code = text.charCodeAt(i)
    if (code === CLOSE) return i + 1
    if (code !== COMMA) throw new UnreadableRow('"," or ")" is missing after a value')
    i += 1
  }
}

/** A string may have a character set or type before it: `_binary '…'`, `x'…'`. */
function endOfValue(text: string, at: number): number {
  let i = at
  while (i < text.length) {
    const code = text.charCodeAt(i)
    if (isQuote(code)) return endOfQuoted(text, i, false)
    if (code === COMMA || code === CLOSE) return i
    i += 1
  }
  return INCOMPLETE
}

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/
const HEX = /^(?:0x([\da-f]*)|x'([\da-f]*)')$/i
const BITS = /^(?:0b([01]+)|b'([01]*)')$/i
const STRING = /^(?:_\w+\s*|N)?(['"])([\s\S]*)\1$/i

function dumpValueOf(written: string): DumpValue {
  const text = written.trim()
  if (/^null$/i.test(text)) return null
  if (/^(?:true|false)$/i.test(text)) return /^t/i.test(text) ? 1 : 0
  if (NUMBER.test(text)) return numberOf(text)
  const [, hex, hex_quoted = hex] = HEX.exec(text.replace(/^_\w+\s+/, '')) ?? []
  if (hex_quoted !== undefined) return Buffer.from(hex_quoted, 'hex')
  const [, bits, bits_quoted = bits] = BITS.exec(text) ?? []
  if (bits_quoted !== undefined) return Number(`0b${bits_quoted || '0'}`)
  const [, quote, content] = STRING.exec(text) ?? []
  if (content === undefined)
    throw new UnreadableRow('a value is neither NULL, a number, a string, hex nor bits')
  return stringOf(content, quote ?? "'")
}

function numberOf(text: string): number | bigint {
  const number = Number(text)
  return Number.isInteger(number) && !Number.isSafeInteger(number) && /^[-+]?\d+$/.test(text)
    ? BigInt(text)
    : number
}

/** https://dev.mysql.com/doc/refman/8.4/en/string-literals.html, Table 11.1. A backslash before any other character is ignored. */
const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\x1a',
  '%': '\\%',
  _: '\\_',
}

function stringOf(content: string, quote: string): string {
  const unescaped =
    content.includes('\\') || content.includes(quote)
      ? content.replace(/\\([\s\S])|''|""/g, (pair, escaped?: string) =>
          escaped === undefined ? (pair[0] === quote ? quote : pair) : (ESCAPES[escaped] ?? escaped),
        )
      : content
  return /[^\0-\x7f]/.test(unescaped) ? Buffer.from(unescaped, 'latin1').toString('utf8') : unescaped
}

const NAME = '(?:`(?:[^`]|``)+`|"[^"]+"|[\\w$]+)'
const QUALIFIED = `(?:${NAME}\\s*\\.\\s*)?(${NAME})`
const INSERT = new RegExp(
  `(?:insert|replace)\\s+(?:(?:low_priority|delayed|high_priority|ignore)\\s+)*(?:into\\s+)?${QUALIFIED}\\s*` +
    `(?:\\(\\s*(${NAME}(?:\\s*,\\s*${NAME})*)\\s*\\)\\s*)?values?\\s*(?=\\()`,
  'iy',
)
const CREATE = new RegExp(`create\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?${QUALIFIED}\\s*\\(`, 'iy')

const bare = (name: string): string => (/^[`"]/.test(name) ? name.slice(1, -1).replaceAll('``', '`') : name)

interface InsertHead {
  readonly table: string
  /** Undefined: all columns in the table's order. */
  readonly columns: readonly string[] | undefined
  /** The position of the first row. */
  readonly rows_at: number
}

/** @returns undefined unless the statement inserts or replaces rows by VALUES */
export function insertAt(text: string, at: number): InsertHead | undefined {
  INSERT.lastIndex = at
  const [head, table = '', columns] = INSERT.exec(text) ?? []
  if (head === undefined) return undefined
  return {
    table: bare(table),
    columns: columns?.match(new RegExp(NAME, 'g'))?.map(bare),
    rows_at: at + head.length,
  }
}

const NO_COLUMN = /^(?:primary|unique|key|index|constraint|fulltext|spatial|foreign|check|period)\b/i

/** @param statement complete @returns undefined unless the statement creates a table with columns */
export function createdTable(statement: string): { table: string; columns: string[] } | undefined {
  CREATE.lastIndex = 0
  const [head, table = ''] = CREATE.exec(statement) ?? []
  if (head === undefined) return undefined
  const parts = partsOf(statement, head.length).map((part) => part.slice(endOfBlank(part, 0, true)).trim())
  const columns = parts.filter((part) => part !== '' && !NO_COLUMN.test(part))
  return {
    table: bare(table),
    columns: columns.map((part) => bare(new RegExp(`^${NAME}`).exec(part)?.[0] ?? part)),
  }
}

/** Splits at commas, up to the closing parenthesis. */
function partsOf(text: string, at: number): string[] {
  const parts: string[] = []
  let [depth, start] = [0, at]
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isQuote(code)) {
      const end = endOfQuoted(text, i, true)
      if (end === INCOMPLETE) break
      i = end - 1
    } else if (code === OPEN) depth += 1
    else if (code === CLOSE && depth > 0) depth -= 1
    else if (code === CLOSE || (code === COMMA && depth === 0)) {
      parts.push(text.slice(start, i))
      start = i + 1
      if (code === CLOSE) break
    }
  }
  return parts
}
