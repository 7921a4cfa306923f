// Output of commands into pipes: it arrives whole, regardless of its size and of the speed of the reader.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { commandOf } from '../../support/programs.ts'
import { temporary } from '../../support/temporary.ts'

setDefaultTimeout(60_000)

const ACCOUNTS = 5_000
/** The longest names. */
const NAME = `an-account-with-a-long-name-${'x'.repeat(30)}-`
/** Eight times what a pipe holds. */
const MIN_BYTES = 524_288
const folder = temporary()
const data = folder.at('data')

beforeAll(() => {
  mkdirSync(data)
  openDatabase(join(data, 'tollgate.db')).close()
  const db = new Database(join(data, 'tollgate.db'))
  db.run(
    `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${ACCOUNTS})
     INSERT INTO accounts (name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
     SELECT printf('${NAME}%05d', i), 'active', 0, 0, 0, 1790000000000 + i FROM n`,
  )
  db.close()
})
afterAll(() => folder[Symbol.dispose]())

/** Runs the line in a shell, with `tollgate` as the program. The status is that of the first command in the last pipe. */
async function shell(line: string) {
  const program = commandOf('gateway')
    .map((word) => `'${word}'`)
    .join(' ')
  const child = Bun.spawn(
    ['bash', '-c', `tollgate() { ${program} "$@" --data '${data}'; }\n${line}\nexit "\${PIPESTATUS[0]}"`],
    { stdout: 'pipe', stderr: 'pipe' },
  )
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { status: await child.exited, out, err }
}

/** Reads 16 KiB at a time with a pause after each: the slowness is under test, so the sleep is no wait for an event. */
const SLOW_READER = `
  const { readSync, writeSync } = require('node:fs')
  const part = Buffer.alloc(16_384)
  for (let length = readSync(0, part); length > 0; length = readSync(0, part)) {
    writeSync(1, part, 0, length)
    Bun.sleepSync(1)
  }`
const SLOWLY = `'${process.execPath}' -e "${SLOW_READER}"`

describe('more than half a megabyte, into a pipe with a slow reader', () => {
  test('as JSON arrives whole, with status 0', async () => {
    const { status, out, err } = await shell(`tollgate account list --json | ${SLOWLY}`)
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out.length).toBeGreaterThan(MIN_BYTES)
    expect(JSON.parse(out).accounts).toHaveLength(ACCOUNTS)
  })

  test('as a table arrives with every line', async () => {
    const { status, out } = await shell(`tollgate account list | ${SLOWLY}`)
    expect(status).toBe(0)
    expect(out.length).toBeGreaterThan(MIN_BYTES)
    expect(
      out
        .trimEnd()
        .split('\n')
        .filter((line) => line.includes('an-account-with')),
    ).toHaveLength(ACCOUNTS)
  })

  test('on standard error arrives whole, with the status of the failure', async () => {
    const mistakes = 1_000
    const field = `unknown_field_of_the_server_${'x'.repeat(500)}_`
    const lines = Array.from({ length: mistakes }, (_, line) => `${field}${line} = 1`)
    writeFileSync(join(data, 'tollgate.toml'), `[server]\n${lines.join('\n')}\n`)
    const { status, out } = await shell(`tollgate models 2>&1 >/dev/null | ${SLOWLY}`)
    expect(status).toBe(1)
    expect(out.length).toBeGreaterThan(MIN_BYTES)
    expect(out).toContain(`${field}${mistakes - 1}`)
  })
})

describe('output that cannot be written', () => {
  test('to a closed pipe ends the command quietly, with the status of SIGPIPE', async () => {
    expect(await shell('tollgate account list | head -n 1 > /dev/null')).toEqual({
      status: 141,
      out: '',
      err: '',
    })
  })

  test('to a full disk is reported as a failure', async () => {
    const { status, err } = await shell('tollgate account list > /dev/full')
    expect(status).toBe(1)
    expect(err).toStartWith('error: standard output: The disk is full')
    expect(err).not.toContain('    at ')
  })

  test('on standard error changes neither standard output nor the status', async () => {
    const { status, out } = await shell('tollgate account show nobody 2> /dev/full')
    expect({ status, out }).toEqual({ status: 1, out: '' })
  })
})
