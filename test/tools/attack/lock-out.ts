// Strangers who guess the operator's password from many addresses, before and after a restart, to keep the operator out.
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { BEHIND_PROXY, guess, operatorsLink, visitor } from '../../support/guessing.ts'
import type { Attack } from './attack.ts'

const ADDRESSES = 40
const GUESSES_EACH = 25
/** The gateway's own limit for one name, in any 60 seconds. */
const MAX_CHECKED = 100
const VISITS = 20
const HOME = '203.0.113.7'

export const lockOut: Attack = {
  name: 'lock-out',
  description: 'strangers guess the operator’s password from forty addresses at once',
  async run() {
    const catalogue = catalogueOf({ upstream_url: 'simulator', server: BEHIND_PROXY })
    using folder = await prepareDataFolder(catalogue)
    const kept = { ...folder, [Symbol.dispose]: () => undefined }
    let checked_guesses = 0
    let signed_in = 0
    const besiege = async (url: URL) => {
      const strangers = guess(url, ADDRESSES, GUESSES_EACH)
      for (let i = 0; i < VISITS; i++) if ((await visitor(url, HOME).signIn()) === 200) signed_in++
      checked_guesses = Math.max(checked_guesses, await strangers)
    }
    {
      await using gateway = await startGatewayProcess(catalogue, kept)
      await using db = openDb(folder.database_path)
      await visitor(gateway.url, HOME).signInByLink(await operatorsLink(db))
      await besiege(gateway.url)
    }
    await using gateway = await startGatewayProcess(catalogue, kept)
    await besiege(gateway.url)
    return {
      tried: `${2 * ADDRESSES * GUESSES_EACH} guesses, half of them after a restart`,
      held: signed_in === 2 * VISITS && checked_guesses <= MAX_CHECKED,
      figures: `${signed_in} of ${2 * VISITS} sign-ins of the operator meanwhile; at most ${checked_guesses} guesses checked of ${ADDRESSES * GUESSES_EACH}`,
    }
  },
}
