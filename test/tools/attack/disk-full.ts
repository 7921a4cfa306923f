// A disk that is full at the moment when calls end, again and again.
import { fillDiskInRounds } from '../../support/disk-full.ts'
import { mayMount } from '../../support/small-disk.ts'
import type { Attack } from './attack.ts'

const ROUNDS = 100
const MAX_RECOVERY_MS = 1_500

export const diskFull: Attack = {
  name: 'disk-full',
  description: 'a disk that is full while answers and images end',
  long: true,
  async run({ rounds: effort }) {
    if (!mayMount)
      return {
        tried: 'not at all',
        held: false,
        figures: 'this process may not mount a small disk: run it as root',
      }
    const rounds = Math.max(1, Math.round(ROUNDS * effort))
    const { delivered, unpaid, withheld, wrong, recovery_ms, findings } = await fillDiskInRounds(
      rounds,
      'inline',
    )
    return {
      tried: `${rounds} rounds of 8 calls`,
      held:
        unpaid.length + wrong.length + findings === 0 && withheld > rounds && recovery_ms < MAX_RECOVERY_MS,
      figures: `${delivered} delivered, ${unpaid.length} unpaid; ${withheld} refused or cut short, ${wrong.length} of them with another status than 503; ready at most ${recovery_ms.toFixed(0)} ms after there was room`,
    }
  },
}
