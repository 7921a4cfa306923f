// Strangers who guess the operator's password: they do not block the operator's known addresses, even after a restart.
import { expect, test } from 'bun:test'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { BEHIND_PROXY, guess, makeGuessesCheap, operatorsLink, visitor } from '../support/guessing.ts'

const HOME = '203.0.113.7'
const OFFICE = '2001:db8:0:1::5'

test('guesses from eleven addresses block the operator only at new addresses', async () => {
  const catalogue = catalogueOf({ upstream_url: 'simulator', server: BEHIND_PROXY })
  using folder = await prepareDataFolder(catalogue)
  await using db = openDb(folder.database_path)
  {
    await using gateway = await startGatewayProcess(catalogue, {
      ...folder,
      [Symbol.dispose]: () => undefined,
    })
    expect(await visitor(gateway.url, HOME).signInByLink(await operatorsLink(db))).toBe(200)
    expect(await visitor(gateway.url, OFFICE).signIn()).toBe(200)
  }
  await makeGuessesCheap(db)
  await using gateway = await startGatewayProcess(catalogue, { ...folder, [Symbol.dispose]: () => undefined })
  const at = (address: string) => visitor(gateway.url, address)
  expect(await guess(gateway.url, 11, 12)).toBe(100)

  expect(await at('203.0.113.8').signIn()).toBe(429)
  expect(await at(HOME).signIn()).toBe(200)
  expect(await at('2001:db8:0:1:ffff::9').signIn()).toBe(200)
  // Guesses from a known address are limited, too.
  const guesses: number[] = []
  for (let i = 0; i < 11; i++) guesses.push(await at(HOME).signIn('not the password'))
  expect(guesses).toEqual([...Array(10).fill(401), 429])
  // A link always works, and makes its address known.
  expect(await at('203.0.113.8').signInByLink(await operatorsLink(db))).toBe(200)
  expect(await at('203.0.113.8').signIn()).toBe(200)
})
