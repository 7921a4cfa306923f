// Strangers who guess the operator's password: they keep nobody out where they have signed in before, also after a restart.
import { expect, test } from 'bun:test'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { BEHIND_PROXY, guess, makeGuessesCheap, operatorsLink, person } from '../support/guessing.ts'

const HOME = '203.0.113.7'
const OFFICE = '2001:db8:0:1::5'

test('eleven addresses that guess keep the operator out of new places alone', async () => {
  const catalogue = catalogueOf({ upstream_url: 'simulator', server: BEHIND_PROXY })
  using folder = await prepareDataFolder(catalogue)
  await using db = openDb(folder.database_path)
  {
    await using gateway = await startGatewayProcess(catalogue, {
      ...folder,
      [Symbol.dispose]: () => undefined,
    })
    expect(await person(gateway.url, HOME).signInByLink(await operatorsLink(db))).toBe(200)
    expect(await person(gateway.url, OFFICE).signIn()).toBe(200)
  }
  await makeGuessesCheap(db)
  await using gateway = await startGatewayProcess(catalogue, { ...folder, [Symbol.dispose]: () => undefined })
  const at = (address: string) => person(gateway.url, address)
  expect(await guess(gateway.url, 11, 12)).toBe(100)

  expect(await at('203.0.113.8').signIn()).toBe(429)
  expect(await at(HOME).signIn()).toBe(200)
  expect(await at('2001:db8:0:1:ffff::9').signIn()).toBe(200)
  // Nor does who guesses there guess without end.
  const guesses: number[] = []
  for (let i = 0; i < 11; i++) guesses.push(await at(HOME).signIn('not the password'))
  expect(guesses).toEqual([...Array(10).fill(401), 429])
  // A link is never held up, and makes its place known.
  expect(await at('203.0.113.8').signInByLink(await operatorsLink(db))).toBe(200)
  expect(await at('203.0.113.8').signIn()).toBe(200)
})
