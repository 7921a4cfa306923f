// Restarts of a gateway: a stop writes the refusals of the last moment, and the next start continues from there.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { REQUESTS } from '../disconnect/surfaces.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { idOf } from '../support/request-lines.ts'
import { restarts } from '../support/restarts.ts'

test('a refusal just before a stop is recorded, before and after a restart', async () => {
  using all = await restarts(catalogueOf({ upstream_url: 'simulator' }))
  const { path, body } = REQUESTS.chat('of-nobody', false)
  const headers = { 'content-type': 'application/json' }
  const ids: string[] = []
  for (let run = 0; run < 2; run++) {
    await using gateway = await all.start()
    ids.push(await idOf(await gateway.call(path, { method: 'POST', body: JSON.stringify(body), headers })))
  }
  using db = openDatabase(all.folder.database_path, { readonly: true })
  expect(db.query('SELECT request_id, account_id, code FROM refusals ORDER BY id').all()).toEqual(
    ids.map((request_id) => ({ request_id, account_id: 1, code: 'model_not_found' })),
  )
  const sum = db.query('SELECT sum(refusals) AS refusals FROM refusal_sums WHERE span_s = 3600').get()
  expect(sum).toEqual({ refusals: 2 })
})
