// Several statements as one, so that the server is asked once, and works once, for what they do.
import type { Statement } from './connection.ts'

export interface Part {
  /** Its own among all parts: it stands for its text. What it returns has this name. */
  readonly name: string
  /** With parameters from $1 on. Parts see neither what others of the statement change, nor their order. */
  readonly text: string
  readonly values: readonly unknown[]
  /** Must be true, else the whole statement is refused. With the same parameters. */
  readonly condition?: string
  /** An expression for the answer, by the name of the part. */
  readonly answer?: string
}

/** Their texts together, by their names: there are as many as there are kinds of batches. */
const texts = new Map<string, string>()

/** One statement that has one row, with the answers of its parts. No row may be changed by two of them. */
export function oneStatement(parts: readonly Part[]): Statement {
  const names = parts.map(({ name }) => name).join()
  let text = texts.get(names)
  if (text === undefined) {
    text = textOf(parts)
    texts.set(names, text)
  }
  return { text, values: parts.flatMap(({ values }) => values) }
}

function textOf(parts: readonly Part[]): string {
  let before = 0
  const tables: string[] = []
  const conditions: string[] = []
  for (const { name, text, values, condition } of parts) {
    const at = before
    const numbered = (of_part: string) =>
      of_part.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + at}`)
    tables.push(`${name} AS (${numbered(text)})`)
    if (condition) conditions.push(numbered(condition))
    before += values.length
  }
  const answers = parts.flatMap(({ name, answer }) => (answer ? [`${answer} AS ${name}`] : []))
  // What divides by 0 is refused: a statement has no other way to say so by itself.
  const check = `1 / CASE WHEN ${conditions.join(' AND ') || 'true'} THEN 1 ELSE 0 END AS done`
  return `WITH ${tables.join(', ')} SELECT ${[check, ...answers].join(', ')}`
}
