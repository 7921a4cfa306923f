// `import new-api` and `import one-api` as commands, over databases of their versions: the imported sums equal the source's SQL; refusals.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { temporary } from '../support/temporary.ts'
import { fakeSource } from './fake-source.ts'
import { ENGINES, importFolder } from './folder.ts'
import { makeSqlite } from './gateway-database.ts'
import { NOW_MS } from './gateway-moments.ts'
import { oddRows } from './gateway-rows.ts'
import type { Version } from './gateway-tables.ts'
import { importFrom } from './scene.ts'

const run = (dir: string, ...args: string[]) =>
  importFrom({ dir, source: fakeSource({}), args, now_ms: NOW_MS, columns: 80 })

const NANOS_A_QUOTA = 1_000_000_000 / 500_000

/** The source's own sums over users that are not deleted. */
function sourceSums(path: string, version: Version) {
  using db = new Database(path, { readonly: true })
  const not_deleted = version.startsWith('new-api') ? 'status < 3 AND deleted_at IS NULL' : 'status < 3'
  return db
    .query<{ users: number; positive: number; negative: number }, []>(
      `SELECT count(*) AS users, sum(max(quota, 0)) AS positive, sum(max(-quota, 0)) AS negative FROM users WHERE ${not_deleted}`,
    )
    .get()
}

describe.each(ENGINES)('into %s', (engine) => {
  test.each([
    ['new-api', 'new-api 2026'],
    ['one-api', 'one-api 0.6'],
  ] as const)('%s: accounts and balances equal those of its own SQL', async (program, version) => {
    using place = temporary()
    const path = place.at('one-api.db')
    makeSqlite(path, version, oddRows(program))
    await using folder = await importFolder(engine)
    const { status, err, out } = await run(folder.dir, 'import', program, path, '--apply')
    expect([err, status]).toEqual(['', 0])
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    const source = sourceSums(path, version)
    expect(
      await folder.rows(
        `SELECT count(*) AS users, sum(balance_nanos) AS positive, sum(debt_nanos) AS negative FROM accounts`,
      ),
    ).toEqual([
      {
        users: source?.users,
        positive: (source?.positive ?? 0) * NANOS_A_QUOTA,
        negative: (source?.negative ?? 0) * NANOS_A_QUOTA,
      },
    ])
    expect(await folder.findings()).toEqual([])
    const again = await run(folder.dir, 'import', program, path, '--apply', '--json')
    expect(JSON.parse(again.out)).toMatchObject({ accounts: { new: 0 }, keys: { new: 0 }, renamed: [] })
  })
})

describe('refusals', () => {
  test.each<[string, string[], number, string]>([
    ['an import without a database', ['new-api'], 2, "missing required argument 'database'"],
    ['a missing file', ['new-api', 'nowhere.db'], 1, 'nowhere.db does not exist'],
    ['an address of MySQL', ['new-api', 'mysql://root@localhost/x'], 1, 'mysqldump'],
    ['an invalid name', ['new-api', 'x.db', '--as', 'a b'], 1, '"a b" is not a valid name'],
    ['LiteLLM without its configuration', ['litellm'], 2, "required option '--config <file>'"],
    ['a missing configuration', ['litellm', '--config', 'nowhere.yaml'], 1, 'nowhere.yaml'],
    ['an invalid opening balance', ['litellm', '--config', 'x', '--opening-balance', 'much'], 2, 'much'],
  ])('%s is refused', async (_, args, status, words) => {
    using place = temporary()
    const ran = await run(place.at('data'), 'import', ...args)
    expect([ran.status, ran.err, ran.out]).toEqual([status, expect.stringContaining(words), ''])
  })

  test('a database of the other program, or of an unknown one, is refused', async () => {
    using place = temporary()
    makeSqlite(place.at('one.db'), 'one-api 0.6', oddRows('one-api'))
    const other = await run(place.at('data'), 'import', 'new-api', place.at('one.db'), '--apply')
    expect([other.status, other.err]).toEqual([1, expect.stringContaining('tollgate import one-api')])
    new Database(place.at('empty.db'), { create: true }).run('CREATE TABLE x (y)')
    const none = await run(place.at('data'), 'import', 'new-api', place.at('empty.db'))
    expect([none.status, none.err]).toEqual([1, expect.stringContaining('it has no table users')])
  })
})

test("LiteLLM's configuration alone brings its providers and models", async () => {
  using place = temporary()
  writeFileSync(
    place.at('config.yaml'),
    `model_list:
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o
      api_key: os.environ/OPENAI_API_KEY
      input_cost_per_token: 0.0000025
      output_cost_per_token: 0.00001
`,
  )
  const { status, err, out } = await run(
    place.at('data'),
    'import',
    'litellm',
    '--config',
    place.at('config.yaml'),
    '--apply',
  )
  expect([err, status]).toEqual(['', 0])
  expect(out).toContain('Set the environment variables OPENAI_API_KEY,')
  const catalogue = await Bun.file(place.at('data/tollgate.toml')).text()
  expect(catalogue).toContain('api_keys = ["env:OPENAI_API_KEY"]')
  expect(catalogue).toContain('id = "gpt-4o"')
})

test('imported history is listed, of one account and as CSV', async () => {
  using place = temporary()
  makeSqlite(place.at('one-api.db'), 'new-api 2026', oddRows('new-api'))
  const dir = place.at('data')
  await run(dir, 'import', 'new-api', place.at('one-api.db'), '--apply')
  expect((await run(dir, 'import', 'history')).out).toContain('2026-10-31  anna     dall-e-3')
  const { out } = await run(dir, 'import', 'history', 'anna', '--csv')
  expect(out.split(/\r?\n/)[0]).toBe('day,account,source,model,calls,input_tokens,output_tokens,charged_usd')
  expect(out).not.toContain('user-3')
  const { err } = await run(dir, 'import', 'history', 'nobody')
  expect(err).toContain('Account "nobody" not found')
})
