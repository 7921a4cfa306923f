// A connection to PostgreSQL that explains each statement before it is carried out: the indexes by which it reads, and the number of rows and pages.
import type { Values } from '../../../src/store/db.ts'
import type { Answer, Connection, Statement } from '../../../src/store/engines/postgres/connection.ts'
import { rowsBy } from '../../../src/store/engines/postgres/one-connection.ts'
import { ormOver } from '../../../src/store/engines/postgres/orm.ts'
import { OneConnection } from '../../../src/store/engines/sqlite/one-connection.ts'

/** A part of a plan, as `EXPLAIN (FORMAT JSON)` has it. */
interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

interface Scan {
  /** Such as `Index Scan holds_of_accounts`. */
  name: string
  /** Rows that it found, also those that a condition then left out. */
  rows: number
}

export interface Explained {
  text: string
  /** Pages that it looked at, also those of its triggers. */
  pages: number
  scans: Scan[]
}

/** @param within a connection in a transaction @param add takes each statement once it is explained */
export function explaining(within: Connection, add: (explained: Explained) => void): Connection {
  const ask = async (text: string, values: readonly unknown[] = []): Promise<Answer> => {
    if (!/^(BEGIN|COMMIT|ROLLBACK)/.test(text)) add(await explain(within, { text, values }))
    return await within.ask(text, values)
  }
  const askAll = async (statements: readonly Statement[]) => {
    const answers: Answer[] = []
    for (const { text, values } of statements) answers.push(await ask(text, values))
    return answers
  }
  return new Proxy(within, {
    get(of, name) {
      if (name === 'ask') return ask
      if (name === 'askAll') return askAll
      const value = Reflect.get(of, name, of)
      return typeof value === 'function' ? value.bind(of) : value
    },
  })
}

/** A transaction over the connection, for code that reads and writes. */
export const transactionOn = (connection: Connection): OneConnection =>
  new OneConnection(
    {
      orm: ormOver(async (text, values) => (await connection.ask(text, values)).rows),
      rows: <Row>(text: string, values: Values = {}) => rowsBy<Row>(connection, text, values),
      lock: () => {},
    },
    undefined,
  )

/** Explains by the plan for any values, by which the statement is carried out, and undoes its changes. */
async function explain(connection: Connection, { text, values = [] }: Statement): Promise<Explained> {
  await connection.ask('SAVEPOINT unexplained')
  await connection.script(`PREPARE explained AS ${text}`)
  const args = values.length > 0 ? `(${values.map(literalOf).join()})` : ''
  const rows = await connection.script(
    `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE explained${args}`,
  )
  await connection.ask('ROLLBACK TO unexplained')
  await connection.script('DEALLOCATE explained')
  const [plan] = rows.flat() as unknown as { Plan: Node }[]
  if (!plan) throw new Error(`no plan of ${text}`)
  return {
    text: text.replaceAll(/\s+/g, ' ').trim(),
    pages: plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'],
    scans: nodesOf(plan.Plan).flatMap(scanOf),
  }
}

const literalOf = (value: unknown): string =>
  value === null || typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

function scanOf(node: Node): Scan[] {
  const { 'Relation Name': table, 'Index Name': index, 'Node Type': type } = node
  const of = index ?? table
  if (!type.endsWith('Scan') || of === undefined) return []
  const found = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
  return [{ name: `${type} ${of}`, rows: found * node['Actual Loops'] }]
}
