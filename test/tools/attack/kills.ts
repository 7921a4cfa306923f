// A gateway that is killed again and again during calls: every acknowledged answer stays true.
import { openCrashes, POINTS } from '../../crash/run.ts'
import type { Attack } from './attack.ts'

const KILLS = 1_000
/** Every second kill comes at a random moment, from outside; the others go through the named points of the work. */
const pointOf = (kill: number) =>
  kill % 2 === 0 ? 'moment' : (POINTS[(kill >> 1) % POINTS.length] ?? 'moment')

export const kills: Attack = {
  name: 'kills',
  description: 'kill -9 at random moments under mixed load',
  long: true,
  async run({ rounds }) {
    const count = Math.max(1, Math.round(KILLS * rounds))
    const seed = Math.floor(Math.random() * 2 ** 32)
    await using crashes = await openCrashes(seed)
    const complaints: string[] = []
    for (let kill = 0; kill < count; kill++)
      complaints.push(...(await crashes.live(pointOf(kill))).complaints)
    const end = await crashes.end()
    complaints.push(...end.complaints)
    return {
      tried: `${count} kills`,
      held: complaints.length === 0 && end.exit_code === 0,
      figures: `${crashes.acknowledged} acknowledged answers, ${complaints.length} missing or wrong (seed ${seed})${complaints[0] === undefined ? '' : `: ${complaints[0]}`}`,
    }
  },
}
