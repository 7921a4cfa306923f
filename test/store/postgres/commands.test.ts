// Commands on a folder whose catalogue names a server: they work on its rows, and print what concerns PostgreSQL alone.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { createScene } from '../../app/commands/scene.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { putCatalogueIn } from '../../support/shared-catalogue.ts'

const { url, db } = await databaseOfFile()
const scene = createScene('nothing')
afterAll(() => scene.remove())
const catalogue = catalogueOf({ upstream_url: 'simulator' })
if (hasPostgres) await putCatalogueIn(url, catalogue)
writeFileSync(scene.path('tollgate.toml'), `[storage]\ndatabase = "${url}"\n`, { mode: 0o600 })

describe.if(hasPostgres)('commands', () => {
  test('audit finds clean books, and a clean database below them', async () => {
    const { clean, rules } = await scene.json('audit')
    expect(clean).toBe(true)
    expect(rules.slice(0, 2)).toMatchObject([
      { invariant: 'database_is_whole', breaches: 0, meaning: expect.stringContaining('checksum') },
      { invariant: 'database_is_complete', breaches: 0, meaning: expect.stringContaining('sequences') },
    ])
  })

  test('audit finds a missing index, and prints the command that makes it', async () => {
    await db.begin((tx) => tx.rows('DROP INDEX keys_by_account'))
    const { status, out } = await scene.run('audit')
    expect([status, out]).toEqual([1, expect.stringContaining('database: lacks index keys_by_account. ')])
    const [, sql = ''] = /^ {2}psql DATABASE -c 'SET search_path TO tollgate' -c '(.+)'$/m.exec(out) ?? []
    await db.begin((tx) => tx.rows(sql))
    expect((await scene.run('audit')).status).toBe(0)
  })

  test('audit finds a disabled trigger', async () => {
    const trigger = (state: string) =>
      db.begin((tx) => tx.rows(`ALTER TABLE entries ${state} TRIGGER entries_are_never_deleted`))
    await trigger('DISABLE')
    const { status, out } = await scene.run('audit')
    await trigger('ENABLE')
    expect([status, out]).toEqual([1, expect.stringContaining('make a backup of the server. Then restore')])
  })

  test('account export and erase work on its rows, and erase names the places that keep them', async () => {
    await scene.run('account', 'create', 'anna')
    await scene.run('key', 'create', 'anna')
    const exported = await scene.json('account', 'export', 'anna', '--out', scene.path('anna.tar.zst'))
    expect(exported).toMatchObject({ account: 'anna', missing: [], rows: { accounts: 1, keys: 1 } })
    const erased = await scene.json('account', 'erase', 'anna', '--yes')
    expect(erased).toMatchObject({ name: 'erased-1', rows: { keys: 1 } })
    expect(erased.remains[0]).toStartWith('The PostgreSQL server may keep the erased data in its files')
    expect((await scene.json('account', 'list')).accounts).toMatchObject([{ name: 'erased-1' }])
  })
})
