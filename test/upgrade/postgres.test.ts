// An upgrade over PostgreSQL, whole: an older executable serves and is charged, replaces itself by a newer one, and that serves on; the way back, and where there is none.
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
/** A further migration, over which older programs can go on, or cannot. */
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

  /** The archive of another version: this program with other variables, whatever those of its caller are. */
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
      /** The program's own file again, which finds itself: the script in its place is none. */
      relink() {
        rmSync(executable)
        linkSync(program, executable)
      },
      of: (words: string, variables: Variables = {}) =>
        run([executable, ...words.split(' '), '--data', data], variables),
      /** Money by SQL of its own: what is in the accounts, what their entries add up to, and how many calls are paid. */
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
          let said = ''
          for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
            said += text
            if (/listens on \S+\s/.test(said)) break
          }
          await work(/listens on (http:\S+)/.exec(said)?.[1] ?? expect.unreachable(said))
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
    const cost = BigInt(after.charged) - BigInt(before.charged ?? 0)
    expect(BigInt(before.balances) - BigInt(after.balances)).toBe(cost)
    expect(cost > 0n).toBe(true)
  }

  /** Serves once, so that there are tables, and makes a key. */
  async function begun(place: Installation): Promise<string> {
    await place.serve(async () => undefined)
    expect(place.of('account create ada')).toMatchObject({ status: 0 })
    expect(place.of('credit ada 5')).toMatchObject({ status: 0 })
    const key = place.of('key create ada').out.trim()
    expect(key).toStartWith('tg_')
    return key
  }

  test('goes in over rows that it then migrates, serves the same key, and may be taken back', async () => {
    await using place = await installation('readable')
    const newer = await release(NEWER_VERSION, 'readable-newer', NEWER)
    const older = await release(own_version, 'readable-older', {})
    const key = await begun(place)
    await callOnce(place, key)
    const before = await place.sums()

    const upgraded = place.of(`upgrade --from ${newer}`)
    expect([upgraded.status, upgraded.out]).toEqual([
      0,
      expect.stringContaining(`Tollgate ${NEWER_VERSION} has replaced ${own_version}`),
    ])
    // Only a start migrates.
    expect(await place.schema()).toMatchObject({ version: String(NEWEST) })
    await callOnce(place, key)
    expect(await place.schema()).toMatchObject({ version: String(NEWEST + 1), readable_from: String(NEWEST) })
    const { out, status } = place.of('audit')
    expect([status, out]).toEqual([0, expect.stringContaining('Clean: every invariant holds.')])
    expect((await place.sums()).calls).toBe(before.calls + 1)

    place.relink()
    expect(place.of(`upgrade --from ${older}`, NEWER)).toMatchObject({ status: 0 })
    await callOnce(place, key)
    expect(place.of('audit')).toMatchObject({ status: 0 })
  })

  test('cannot be taken back below the version that its tables can be read from: nothing is changed, and it serves on', async () => {
    await using place = await installation('unreadable')
    const newer = await release(NEWER_VERSION, 'unreadable-newer', UNREADABLE)
    const older = await release(own_version, 'unreadable-older', {})
    const key = await begun(place)
    await callOnce(place, key)
    expect(place.of(`upgrade --from ${newer}`)).toMatchObject({ status: 0 })
    await callOnce(place, key)
    expect(await place.schema()).toMatchObject({ readable_from: String(NEWEST + 1) })
    const before = await place.sums()

    place.relink()
    const { status, out, err } = place.of(`upgrade --from ${older}`, UNREADABLE)
    expect([status, out]).toEqual([1, ''])
    expect(err).toContain(
      `Tollgate ${own_version} cannot read the database of ${folder.at('unreadable/data')}: version ${NEWEST + 1}, from a newer program; this one knows ${NEWEST}. Nothing was changed.`,
    )
    expect(await place.sums()).toEqual(before)
    await callOnce(place, key, UNREADABLE)
    expect(place.of('audit', UNREADABLE)).toMatchObject({ status: 0 })
  })
})
