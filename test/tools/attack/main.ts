// `bun run attack`: the attacks that take long or are measured in milliseconds, with a table of the results.
import { parseArgs } from 'node:util'
import type { Attack, Effort, Result } from './attack.ts'
import { ATTACKS } from './attacks.ts'
import { markdownOf, type Row, textOf } from './table.ts'

const USAGE = `bun run attack [--only NAME]... [--rounds N] [--long] [--markdown]

${ATTACKS.map(({ name, description, long }) => `  ${name.padEnd(17)}${long ? 'long ' : '     '}${description}`).join('\n')}`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '1' },
    long: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

async function attempt(attack: Attack, effort: Effort): Promise<Result> {
  try {
    return await attack.run(effort)
  } catch (thrown) {
    return { tried: 'once', held: false, figures: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
const unknown = (values.only ?? []).find((name) => !ATTACKS.some((attack) => attack.name === name))
if (unknown !== undefined) {
  process.stderr.write(`Unknown attack "${unknown}".\n\n${USAGE}\n`)
  process.exit(2)
}
const effort: Effort = { rounds: Number(values.rounds), long: values.long }
const chosen = ATTACKS.filter(({ name, long }) =>
  values.only ? values.only.includes(name) : effort.long || !long,
)
const rows: Row[] = []
for (const attack of chosen) {
  process.stderr.write(`${attack.description}\n`)
  rows.push({ attack, result: await attempt(attack, effort) })
}
process.stdout.write(`${values.markdown ? markdownOf(rows) : textOf(rows)}\n`)
process.exit(rows.every(({ result }) => result.held) ? 0 : 1)
