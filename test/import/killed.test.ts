// An import that is killed at any point: run again, it comes to the same end as an import that was not killed.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ImportPoint } from '../../plugins/import/apply/import-run.ts'
import { commandOf } from '../support/programs.ts'
import { fakeSource } from './fake-source.ts'
import { ENGINES, type ImportFolder, importFolder } from './folder.ts'
import { KILLED_SOURCE } from './killed-source.ts'
import { importFrom } from './scene.ts'

/** Runs the import until it ends. @returns whether it was killed */
async function importInProcess(folder: ImportFolder, point: ImportPoint, passes: number): Promise<boolean> {
  const child = Bun.spawn([...commandOf('killed-import'), folder.dir, point, String(passes)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const complaints = await child.stderr.text()
  await child.exited
  expect([complaints, child.signalCode ?? child.exitCode]).toEqual([
    '',
    child.signalCode === null ? 0 : 'SIGKILL',
  ])
  return child.signalCode === 'SIGKILL'
}

const SUMS = `
  SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM account_details) AS details,
         (SELECT count(*) FROM keys) AS keys, (SELECT count(*) FROM passwords) AS passwords,
         (SELECT sum(balance_nanos) FROM accounts) AS balance, (SELECT sum(debt_nanos) FROM accounts) AS debt,
         (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM opening_debts) AS debts,
         (SELECT count(*) FROM vouchers) AS vouchers, (SELECT count(*) FROM imported_rows) AS rows, (SELECT count(*) FROM sign_in_links) AS links,
         (SELECT count(*) FROM imported_usage) AS usage_rows, (SELECT sum(calls) FROM imported_usage) AS calls`

/** The result of an import, without random tokens. */
async function resultOf(folder: ImportFolder) {
  const [sums] = await folder.rows(SUMS)
  const links = readFileSync(folder.at('imported-links.csv'), 'utf8')
  return {
    sums,
    // Each link of the file works: the row has the hash of its token.
    links: links.replaceAll(/#[\w-]{32}/g, '#'),
    hashes: await hashesMatch(folder, links),
    env: readFileSync(folder.at('imported.env'), 'utf8'),
    catalogue: readFileSync(folder.at('tollgate.toml'), 'utf8').replace(/^database = .*$/m, ''),
  }
}

async function hashesMatch(folder: ImportFolder, links: string): Promise<boolean> {
  const rows = await folder.rows<{ sha256: Uint8Array }>('SELECT sha256 FROM sign_in_links')
  const stored = new Set(rows.map(({ sha256 }) => Buffer.from(sha256).toString('hex')))
  const tokens = [...links.matchAll(/#([\w-]{32})/g)].map(([, token = '']) => token)
  return tokens.every((token) => stored.has(new Bun.CryptoHasher('sha256').update(token).digest('hex')))
}

/** Up to nine starts of a program, beside the other files of the suite. */
const MAX_MS = 240_000

/** Each point, and how often it is passed before. */
const POINTS: [ImportPoint, number][] = [
  ['env file', 0],
  ['accounts', 0],
  ['accounts', 1],
  ['money', 0],
  ['vouchers', 0],
  ['history', 1],
  ['catalogue', 0],
  ['links file', 0],
  ['links', 0],
]

/** After a commit of rows, one of the ledger, and the second of several: all else does not depend on the engine. */
const IN_ROWS = ['accounts 0', 'money 0', 'history 1']
const POINTS_IN_ROWS = POINTS.filter((point) => IN_ROWS.includes(point.join(' ')))

test.each(ENGINES)(
  'an import killed at one point after the other on %s continues where it was, and comes to the same end',
  async (engine) => {
    await using whole = await importFolder(engine)
    expect(await importFrom({ dir: whole.dir, source: fakeSource(KILLED_SOURCE) })).toMatchObject({
      status: 0,
    })
    await using folder = await importFolder(engine)
    for (const [point, passes] of engine === 'SQLite' ? POINTS : POINTS_IN_ROWS)
      expect([point, await importInProcess(folder, point, passes)]).toEqual([point, true])
    expect(await importFrom({ dir: folder.dir, source: fakeSource(KILLED_SOURCE) })).toMatchObject({
      status: 0,
    })
    expect(await resultOf(folder)).toEqual(await resultOf(whole))
    expect(await resultOf(folder)).toMatchObject({ hashes: true })
    expect(await folder.findings()).toEqual([])
  },
  MAX_MS,
)
