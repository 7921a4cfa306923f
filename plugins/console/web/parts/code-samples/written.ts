// Values as code. JSON is a literal of JavaScript and, without flags and nulls, one of Python: the names of fields differ.
export type Fields = Readonly<Record<string, unknown>>
export type Language = 'json' | 'python' | 'javascript'

const MAX_LINE_CHARS = 88
/** In JSON that is written a field a line, a name begins its line. */
const NAME = /^(\s*)"([A-Za-z_]\w*)":/gm

const NAMED: Readonly<Record<Language, (name: string) => string>> = {
  json: (name) => `"${name}"`,
  python: (name) => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`,
  javascript: (name) => name,
}

/**
 * A value on one line where it fits; fields that are undefined are left out.
 *
 * @param indent of the line that it begins on
 */
export function written(value: unknown, as: Language, indent: number): string {
  const lines = JSON.stringify(value, null, as === 'python' ? 4 : 2).replace(
    NAME,
    (_, space, name) => `${space}${NAMED[as](name)}:`,
  )
  const line = lines.replace(/(?<=[[{])\n\s*|\n\s*(?=[\]}])/g, '').replace(/\n\s*/g, ' ')
  return line.length + indent <= MAX_LINE_CHARS ? line : lines.replaceAll('\n', `\n${' '.repeat(indent)}`)
}
