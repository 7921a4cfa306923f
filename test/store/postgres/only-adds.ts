// The rule of migrations on PostgreSQL: older programs go on over the tables, so nothing is removed or made stricter, and no large table is locked.

/** Tables that keep a row or more for each call: a statement that reads or writes all rows takes minutes, during which no call is served. */
const LARGE: ReadonlySet<string> = new Set([
  'calls',
  'entries',
  'generations',
  'idempotency_keys',
  'responses',
])

const NEW_TABLE = /^CREATE (?:UNLOGGED )?TABLE (\w+) \(/
const COLUMN =
  /^ALTER TABLE (\w+) ADD COLUMN \w+ (?:bigint|text COLLATE "C"|bytea)(?<not_null> NOT NULL)?(?<fallback> DEFAULT (?:-?\d+|'[^']*'))?(?<check> CHECK \(.*\))?$/
const INDEX = /^CREATE INDEX \w+ ON (\w+)/
const FUNCTION = /^CREATE FUNCTION /
/** Concerns only rows to come. */
const FILLING = /^ALTER TABLE \w+ SET \(fillfactor = \d+\)$/
/** Finds the table that a statement changes. */
const CHANGED = /^(?:ALTER TABLE|INSERT INTO|CREATE TRIGGER \w+ [^(]* ON|CREATE UNIQUE INDEX \w+ ON) (\w+)/

/** @returns the statements beside which older programs, or calls, cannot go on */
export function onlyAdds(sql: string): string[] {
  const made = new Set<string>()
  return statementsOf(sql).filter((statement) => {
    const [, table] = NEW_TABLE.exec(statement) ?? []
    if (table !== undefined) made.add(table)
    return table === undefined && !isAllowed(statement, made)
  })
}

function isAllowed(statement: string, made: ReadonlySet<string>): boolean {
  const changed = CHANGED.exec(statement)?.[1]
  if (changed !== undefined && made.has(changed)) return true
  const column = COLUMN.exec(statement)
  if (column) {
    const [, table = ''] = column
    const { not_null, fallback, check } = column.groups ?? {}
    return (!not_null || fallback !== undefined) && !(check && LARGE.has(table))
  }
  const [, indexed] = INDEX.exec(statement) ?? []
  if (indexed !== undefined) return made.has(indexed) || !LARGE.has(indexed)
  return FUNCTION.test(statement) || FILLING.test(statement)
}

/** The statements without comments, each on one line. Texts may have semicolons in them. */
const statementsOf = (sql: string): string[] =>
  (sql.replace(/--.*$/gm, '').match(/(?:'[^']*'|[^;'])+/g) ?? [])
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
