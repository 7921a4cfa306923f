// The ways to break one line of a source: an operator, a comparison, a constant, a condition, a statement left out.

export interface Mutant {
  /** Counted from 0. */
  line: number
  change: string
  before: string
  after: string
}

/** Pairs that replace each other, in both directions. Operators have blanks around them, as the formatter writes them. */
const SWAPS: readonly (readonly [string, string])[] = [
  [' + ', ' - '],
  [' * ', ' / '],
  [' += ', ' -= '],
  [' < ', ' <= '],
  [' > ', ' >= '],
  [' === ', ' !== '],
  [' && ', ' || '],
]
const NO_CODE = /^\s*(?:import |export \*|export type |export interface |type |interface |\/\/|\/?\*)/
const LITERAL =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\/(?:[^/\\\s]|\\.)(?:[^/\\]|\\.)*\/[dgimsuvy]*(?=[.,)\]\s]|$)|\/\/.*$/g
const CONSTANT = /(?<![\w.$])(?:\d[\d_]*n?|true|false)(?![\w.])/g
const CONDITION = /^(\s*(?:\} else )?(?:if|while) \()(.*)(\)(?: \{| [a-z].*)?)$/
const GUARD = /^\s*if \(.*\) (?:return|continue|break|throw\b.*[^({[,])/
const STATEMENT = /^\s*(?:await |void |throw |return;?$|[\w$.[\]?!]+(?:\(| [-+*?|&]*= ))/
/** A method of an interface: its return type follows, without a body. */
const METHOD = /^\s*[\w$]+\??\(.*\): [^{]*$/
const IS_OPEN = /[,({[=+?:&|]$|=>$/
const CONTINUES = /^\s*(?:[.?:]|&&|\|\||[-+*/] )/

/** Replaces literals by blanks, so that positions stay. */
const blank = (line: string): string => line.replace(LITERAL, (text) => `'${' '.repeat(text.length - 2)}'`)

function replacedAt(line: string, at: number, from: string, to: string): string {
  return line.slice(0, at) + to + line.slice(at + from.length)
}

function* swapped(code: string): Generator<[at: number, from: string, to: string]> {
  for (const pair of SWAPS)
    for (const [from, to] of [pair, [pair[1], pair[0]] as const])
      for (let at = code.indexOf(from); at !== -1; at = code.indexOf(from, at + 1)) yield [at, from, to]
}

function constantAfter(text: string): string {
  if (text === 'true') return 'false'
  if (text === 'false') return 'true'
  const digits = text.replaceAll('_', '').replace(/n$/, '')
  return `${BigInt(digits) + 1n}${text.endsWith('n') ? 'n' : ''}`
}

function balanced(code: string): boolean {
  let depth = 0
  for (const character of code) {
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

/** Whether the line is a complete statement, judged by the ends and beginnings of its neighbours. */
function isStatement(before: string, code: string, after: string): boolean {
  const continues = CONTINUES.test(code) || (IS_OPEN.test(before) && !before.endsWith('{'))
  const goes_on = IS_OPEN.test(code) || CONTINUES.test(after)
  return (
    balanced(code) &&
    !continues &&
    !goes_on &&
    !METHOD.test(code) &&
    (GUARD.test(code) || STATEMENT.test(code))
  )
}

/** @returns every mutant of a source, before any check of types */
export function mutantsOf(source: string): Mutant[] {
  const lines = source.split('\n')
  const codes = lines.map(blank)
  const found: Mutant[] = []
  for (const [line, before] of lines.entries()) {
    const code = codes[line] ?? ''
    if (NO_CODE.test(before)) continue
    const add = (change: string, after: string) => found.push({ line, change, before, after })
    for (const [at, from, to] of swapped(code))
      add(`${from.trim()} to ${to.trim()}`, replacedAt(before, at, from, to))
    for (const { index, 0: text } of code.matchAll(CONSTANT))
      add(`${text} to ${constantAfter(text)}`, replacedAt(before, index, text, constantAfter(text)))
    const [, head, condition, tail] = CONDITION.exec(before) ?? []
    if (head && condition && balanced(blank(condition)))
      add('condition negated', `${head}!(${condition})${tail}`)
    if (isStatement(codes[line - 1] ?? '', code, codes[line + 1] ?? ''))
      add('statement left out', before.replace(/\S.*/, ';'))
  }
  return found
}

/** @returns the source with the mutant in it */
export const withMutant = (source: string, { line, after }: Mutant): string =>
  source.split('\n').with(line, after).join('\n')
