// A database that is moved away during paid calls: the time until calls are refused, and until they are accepted again.
import { renameSync } from 'node:fs'
import { catalogueOf } from '../../support/catalogue.ts'
import { prepareDataFolder } from '../../support/data-folder.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { ask, wholePath } from '../../support/native.ts'
import type { Attack } from './attack.ts'

const ROUNDS = 30
const CALL_EVERY_MS = 10
const MAX_REFUSAL_MS = 250
const MAX_RETURN_MS = 1_500
const AWAY = '.away'

export const movedDatabase: Attack = {
  name: 'moved-database',
  description: 'a database file, its log or the whole folder that is moved away and put back',
  async run({ rounds }) {
    const folder = await prepareDataFolder(catalogueOf({ upstream_url: 'simulator' }))
    await using gateway = await startGatewayProcess('', folder)
    const moved = [folder.database_path, `${folder.database_path}-wal`, folder.path]
    const refusals: number[] = []
    const returns: number[] = []
    for (let round = 0; round < ROUNDS * rounds; round++) {
      const path = moved[round % moved.length] ?? folder.path
      const away_ms = performance.now()
      renameSync(path, path + AWAY)
      refusals.push((await lastAccepted(gateway)) - away_ms)
      const back_ms = performance.now()
      renameSync(path + AWAY, path)
      await eventually('calls are accepted', async () => (await statusOf(gateway)) === 200)
      returns.push(performance.now() - back_ms)
    }
    await eventually('all is settled', () => gateway.books().holds.every(({ state }) => state !== 'pending'))
    const findings = await gateway.findings()
    const [refused_ms, returned_ms] = [Math.max(...refusals), Math.max(...returns)]
    return {
      tried: `${refusals.length} moves`,
      held: refused_ms < MAX_REFUSAL_MS && returned_ms < MAX_RETURN_MS && findings.length === 0,
      figures: `the last accepted call began after ${refused_ms.toFixed(0)} ms, calls were accepted again after ${returned_ms.toFixed(0)} ms; ${findings.length} findings of the audit`,
    }
  },
}

/** Calls at short intervals, until one is refused. @returns the start of the last accepted call */
async function lastAccepted(gateway: GatewayProcess): Promise<number> {
  let last_ms = performance.now()
  let is_over = false
  const calls: Promise<void>[] = []
  const one = async (began_ms: number) => {
    if ((await statusOf(gateway)) === 503) is_over = true
    else last_ms = Math.max(last_ms, began_ms)
  }
  while (!is_over) {
    calls.push(one(performance.now()))
    await Bun.sleep(CALL_EVERY_MS)
  }
  await Promise.all(calls)
  return last_ms
}

async function statusOf(gateway: GatewayProcess): Promise<number> {
  const answer = await fetch(new URL(wholePath(), gateway.url), {
    method: 'POST',
    headers: { 'x-goog-api-key': gateway.key, 'content-type': 'application/json' },
    body: JSON.stringify(ask()),
  })
  await answer.arrayBuffer()
  return answer.status
}
