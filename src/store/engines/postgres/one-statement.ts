// Several statements combined into one, so that the server is asked, and works, only once.
import type { Statement } from './connection.ts'

export interface Part {
  /** Unique among the parts, identifies its text, and names its result. */
  readonly name: string
  /** With parameters from $1 on. Parts see neither each other's changes nor their order. */
  readonly text: string
  readonly values: readonly unknown[]
  /** Must be true, otherwise the whole statement is refused. Uses the same parameters. */
  readonly condition?: string
  /** An expression for the answer, which gets the part's name. */
  readonly answer?: string
}

/** The combined texts by the parts' names: as many as there are kinds of batches. */
const texts = new Map<string, string>()

/** Combines parts into one statement with one row, which has their answers. No two parts may change the same row. */
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
  // Dividing by 0 makes the server refuse the statement: there is no other way within a statement.
  const check = `1 / CASE WHEN ${conditions.join(' AND ') || 'true'} THEN 1 ELSE 0 END AS done`
  return `WITH ${tables.join(', ')} SELECT ${[check, ...answers].join(', ')}`
}
