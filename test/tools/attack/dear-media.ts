// Accounts with five cents that send the most expensive media of each format, 1,000 calls at once: they get five cents' worth.
import { BALANCE_USD, EXPENSIVE_CASES, expensiveMediaScene } from '../../support/dear-media.ts'
import { buy } from '../../support/uncounted-input.ts'
import type { Attack, Result } from './attack.ts'

const AT_ONCE = 1_000

export const dearMedia: Attack = {
  name: 'dear-media',
  description: 'documents, audio, video and images as dear as they can be, from accounts with five cents',
  async run({ rounds }): Promise<Result> {
    await using s = await expensiveMediaScene()
    const broken: string[] = []
    const calls = Math.ceil(AT_ONCE * Math.min(rounds, 1))
    let answers = 0
    let debt_nanos = 0
    let highest_nanos = 0
    for (let round = 0; round < rounds; round++)
      for (const one of EXPENSIVE_CASES) {
        const purchase = await buy(s, one, '', calls, BALANCE_USD)
        answers += purchase.answers
        debt_nanos += purchase.debt_nanos
        highest_nanos = Math.max(highest_nanos, purchase.cost_nanos)
        if (!purchase.held) broken.push(`${one.surface}, ${one.medium.name}: ${JSON.stringify(purchase)}`)
      }
    return {
      tried: `${Math.ceil(rounds) * EXPENSIVE_CASES.length} accounts, ${calls} calls at once each`,
      held: broken.length === 0,
      figures: `${answers} answers, debt ${debt_nanos / 1e9} USD, at most ${highest_nanos / 1e9} USD of 0.05 an account${broken.map((line) => `; ${line}`).join('')}`,
    }
  },
}
