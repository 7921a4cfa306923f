// The attack of a provider whose answers expand without end: 2 GB from a few kilobytes, whole and as one event of a stream.
import { startBomb } from '../../support/bomb.ts'
import { catalogueOf, PROVIDER_KEYS } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { peakMemory, usedMemory } from '../../support/memory.ts'
import { ask, streamPath, wholePath } from '../../support/native.ts'
import type { Attack } from './attack.ts'

const BOMB_BYTES = 2 * 1024 * 1024 * 1024
const MAX_GROWTH_MB = 150
const ROUNDS = 3

export const bombs: Attack = {
  name: 'bombs',
  description: 'a provider answers 2 GB of compressed spaces',
  async run({ rounds }) {
    await using bomb = await startBomb(BOMB_BYTES)
    await using gateway = await startGatewayProcess(
      catalogueOf({ upstream_url: bomb.url, api_keys: PROVIDER_KEYS, provider: 'cooldown_ms = 0' }),
    )
    const before_mb = await usedMemory(gateway.pid)
    const headers = { 'x-goog-api-key': gateway.key, 'content-type': 'application/json' }
    const post = async (path: string) => {
      const response = await fetch(new URL(path, gateway.url), {
        method: 'POST',
        headers,
        body: JSON.stringify(ask()),
      })
      return { status: response.status, text: await response.text() }
    }
    let refused = 0
    const tried = ROUNDS * rounds
    for (let round = 0; round < tried; round++) {
      bomb.answer({ content_type: 'application/json', begins: '{', compressed: true })
      if ((await post(wholePath())).status === 502) refused++
      bomb.answer({ content_type: 'text/event-stream', begins: 'data: {', compressed: true })
      if ((await post(streamPath())).text.includes('"error"')) refused++
    }
    const growth_mb = (await peakMemory(gateway.pid)) - before_mb
    return {
      tried: `${2 * tried} answers`,
      held: refused === 2 * tried && growth_mb < MAX_GROWTH_MB,
      figures: `${refused} refused, memory grew by ${growth_mb} MB at its peak`,
    }
  },
}
