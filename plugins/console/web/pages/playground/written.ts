// Values written as code: JSON for curl, literals of Python and of JavaScript.

export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [name: string]: Value | undefined }
export type Writing = 'json' | 'python' | 'javascript'

const MAX_LINE_CHARS = 88
const WORDS = { python: { true: 'True', false: 'False', null: 'None' } } as const
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/

/**
 * A value as code, on one line where it fits.
 *
 * @param indent how deep its first line stands; the further lines are indented by it
 */
export function written(value: Value | undefined, as: Writing, indent = 0): string {
  const short = inline(value, as)
  if (short.length + indent <= MAX_LINE_CHARS || typeof value !== 'object' || value === null) return short
  const inner = indent + (as === 'python' ? 4 : 2)
  const lines = isList(value)
    ? value.map((item) => written(item, as, inner))
    : entriesOf(value).map(([name, item]) => `${nameIn(name, as)}: ${written(item, as, inner)}`)
  const [open, close] = isList(value) ? '[]' : '{}'
  const comma = as === 'json' ? '' : ','
  const pad = ' '.repeat(inner)
  return `${open}\n${lines.map((line) => pad + line).join(',\n')}${comma}\n${' '.repeat(indent)}${close}`
}

function inline(value: Value | undefined, as: Writing): string {
  if (value === undefined || value === null || typeof value === 'boolean') {
    const word = String(value ?? null) as 'true' | 'false' | 'null'
    return as === 'python' ? WORDS.python[word] : word
  }
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (isList(value)) return `[${value.map((item) => inline(item, as)).join(', ')}]`
  const fields = entriesOf(value).map(([name, item]) => `${nameIn(name, as)}: ${inline(item, as)}`)
  const space = as === 'javascript' && fields.length > 0 ? ' ' : ''
  return `{${space}${fields.join(', ')}${space}}`
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** Fields that are not set are left out. */
const entriesOf = (value: object): [string, Value][] =>
  Object.entries(value).filter(([, item]) => item !== undefined)

const nameIn = (name: string, as: Writing): string =>
  as === 'javascript' && PLAIN_NAME.test(name) ? name : JSON.stringify(name)
