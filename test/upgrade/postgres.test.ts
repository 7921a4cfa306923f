// A whole upgrade over PostgreSQL: an older executable serves a paid call and replaces itself by a newer one, which serves on; the way back, and its refusal.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { SQL } from 'bun'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { NEWEST } from '../../src/store/engines/postgres/migrate.ts'
import { gatewayFile } from '../release/gateway-file.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'
import { archiveName, archiveOf, CHANGELOG, releaseOf } from './release.ts'

setDefaultTimeout(600_000)

const NEWER_VERSION = '99.0.0'
type Variables = Readonly<Record<string, string>>
/** Variables for a further migration, which older programs can read or cannot. */
const NEWER: Variables = { NEWER: '1' }
const UNREADABLE: Variables = { NEWER: '1', READABLE_FROM: '1' }

describe.skipIf(!hasPostgres)('an upgrade over PostgreSQL', () => {
  let folder: TemporaryFolder
  let program: string
  let own_version: string
  beforeAll(async () => {
    folder = temporary()
    program = folder.at('program')
    copyFileSync(await gatewayFile(folder.at('built')), program)
    own_version = run([program, '--version']).out.trim()
  })
  afterAll(() => folder[Symbol.dispose]())

  function run(command: readonly string[], variables: Variables = {}) {
    const { stdout, stderr, exitCode } = Bun.spawnSync([...command], { env: environment(variables) })
    return { out: stdout.toString(), err: stderr.toString(), status: exitCode }
  }
  const environment = (variables: Variables) => ({
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    ...variables,
  })

  /** The archive of another version: this program with these variables in place of its caller's. */
  async function release(version: string, name: string, variables: Variables): Promise<string> {
    const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    const script = `#!/bin/sh\nunset NEWER READABLE_FROM\nexec env ${settings.join(' ')} ${program} "$@"\n`
    const archive = await archiveOf(version, { tollgate: script, 'CHANGELOG.md': CHANGELOG })
    mkdirSync(folder.at(name))
    for (const [file, content] of Object.entries(releaseOf(archiveName(version), archive)))
      writeFileSync(folder.at(name, file), content)
    return folder.at(name, archiveName(version))
  }

  /** The executable in a folder of its own, beside data whose rows are in a new database. */
  async function installation(name: string) {
    const database = await makeDatabase('template0')
    const data = folder.at(name, 'data')
    mkdirSync(data, { recursive: true })
    writeFileSync(
      folder.at(name, 'data/tollgate.toml'),
      `${FIRST_CATALOGUE}\n[storage]\ndatabase = "${database.url}"\n`,
    )
    const executable = folder.at(name, 'tollgate')
    linkSync(program, executable)
    const sql = new SQL({ url: database.url, max: 1, idleTimeout: 0 })
    return {
      /** Puts the program's own file back, since the script in its place cannot replace itself. */
      relink() {
        rmSync(executable)
        linkSync(program, executable)
      },
      command: (words: string, variables: Variables = {}) =>
        run([executable, ...words.split(' '), '--data', data], variables),
      /** Sums by independent SQL: balances, entries and charges, and the number of calls. */
      async sums() {
        const [row] = await sql.unsafe(
          `SELECT (SELECT sum(balance_nanos)::text FROM accounts) AS balances, (SELECT sum(amount_nanos)::text FROM entries) AS entries,
           (SELECT sum(cost_nanos)::text FROM calls) AS charged, (SELECT count(*)::int FROM calls) AS calls`,
        )
        return row as { balances: string; entries: string; charged: string; calls: number }
      },
      schema: async () => (await sql.unsafe('SELECT version, readable_from FROM schema'))[0] as object,
      /** Serves until the work is done. */
      async serve(work: (url: string) => Promise<void>, variables: Variables = {}) {
        const child = Bun.spawn([executable, 'serve', '--data', data, '--listen', '127.0.0.1:0'], {
          env: environment(variables),
          stdout: 'ignore',
          stderr: 'pipe',
        })
        try {
          let output = ''
          for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
            output += text
            if (/listens on \S+\s/.test(output)) break
          }
          await work(/listens on (http:\S+)/.exec(output)?.[1] ?? expect.unreachable(output))
        } finally {
          child.kill('SIGTERM')
          await child.exited
        }
      },
      async [Symbol.asyncDispose]() {
        await sql.close()
        await dropDatabase(database.name)
      },
    }
  }
  type Installation = Awaited<ReturnType<typeof installation>>

  const call = (key: string) => async (url: string) => {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-flash', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  }

  /** A paid call by the program in use; the books agree before and after it. */
  async function callOnce(place: Installation, key: string, variables: Variables = {}): Promise<void> {
    const before = await place.sums()
    await place.serve(call(key), variables)
    const after = await place.sums()
    expect(after.calls).toBe(before.calls + 1)
    expect(after.balances).toBe(after.entries)
    const cost = BigInt(after.charged) - BigInt(before.charged)
    expect(BigInt(before.balances) - BigInt(after.balances)).toBe(cost)
    expect(cost > 0n).toBe(true)
  }

  /** Serves a paid call with a new key. The first start creates the tables. */
  async function firstKey(place: Installation): Promise<string> {
    let key = ''
    await place.serve(async (url) => {
      expect(place.command('account create ada')).toMatchObject({ status: 0 })
      expect(place.command('credit ada 5')).toMatchObject({ status: 0 })
      key = place.command('key create ada').out.trim()
      expect(key).toStartWith('tg_')
      await call(key)(url)
    })
    const { calls, balances, entries } = await place.sums()
    expect([calls, balances]).toEqual([1, entries])
    return key
  }

  test('migrates the rows, serves the same key, and can be reverted', async () => {
    await using place = await installation('readable')
    const newer = await release(NEWER_VERSION, 'readable-newer', NEWER)
    const older = await release(own_version, 'readable-older', {})
    const key = await firstKey(place)
    const before = await place.sums()

    const upgraded = place.command(`upgrade --from ${newer}`)
    expect([upgraded.status, upgraded.out]).toEqual([
      0,
      expect.stringContaining(`Tollgate ${NEWER_VERSION} has replaced ${own_version}`),
    ])
    // Only a start migrates.
    expect(await place.schema()).toMatchObject({ version: String(NEWEST) })
    await callOnce(place, key)
    expect(await place.schema()).toMatchObject({ version: String(NEWEST + 1), readable_from: String(NEWEST) })
    const { out, status } = place.command('audit')
    expect([status, out]).toEqual([0, expect.stringContaining('Clean: every invariant holds.')])
    expect((await place.sums()).calls).toBe(before.calls + 1)

    place.relink()
    expect(place.command(`upgrade --from ${older}`, NEWER)).toMatchObject({ status: 0 })
    await callOnce(place, key)
    expect(place.command('audit')).toMatchObject({ status: 0 })
  })

  test('cannot be reverted to a version that cannot read its tables: nothing changes, and it serves on', async () => {
    await using place = await installation('unreadable')
    const newer = await release(NEWER_VERSION, 'unreadable-newer', UNREADABLE)
    const older = await release(own_version, 'unreadable-older', {})
    const key = await firstKey(place)
    expect(place.command(`upgrade --from ${newer}`)).toMatchObject({ status: 0 })
    await callOnce(place, key)
    expect(await place.schema()).toMatchObject({ readable_from: String(NEWEST + 1) })
    const before = await place.sums()

    place.relink()
    const { status, out, err } = place.command(`upgrade --from ${older}`, UNREADABLE)
    expect([status, out]).toEqual([1, ''])
    expect(err).toContain(
      `Tollgate ${own_version} cannot read the database of ${folder.at('unreadable/data')}: version ${NEWEST + 1}, from a newer program; this one knows ${NEWEST}. Nothing was changed.`,
    )
    expect(await place.sums()).toEqual(before)
    await callOnce(place, key, UNREADABLE)
    expect(place.command('audit', UNREADABLE)).toMatchObject({ status: 0 })
  })
})
