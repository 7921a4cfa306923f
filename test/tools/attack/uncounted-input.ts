// Accounts with a cent that send text in uncounted fields, 200 calls at once: they get a cent's worth.
import { buy, CASES, TEXTS, uncountedScene } from '../../support/uncounted-input.ts'
import type { Attack, Result } from './attack.ts'

const AT_ONCE = 200

export const uncountedInput: Attack = {
  name: 'uncounted-input',
  description: 'text in uncounted fields, from accounts with a cent',
  async run({ rounds }): Promise<Result> {
    await using s = await uncountedScene()
    const broken: string[] = []
    let answers = 0
    let debt_nanos = 0
    let highest_nanos = 0
    for (let round = 0; round < rounds; round++)
      for (const one of CASES)
        for (const [name, text] of Object.entries(TEXTS)) {
          const purchase = await buy(s, one, text, AT_ONCE)
          answers += purchase.answers
          debt_nanos += purchase.debt_nanos
          highest_nanos = Math.max(highest_nanos, purchase.cost_nanos)
          if (!purchase.held || purchase.answers === 0 || purchase.strange.length > 0)
            broken.push(`${one.surface}, ${one.field}, ${name}: ${JSON.stringify(purchase)}`)
        }
    const accounts = rounds * CASES.length * Object.keys(TEXTS).length
    return {
      tried: `${accounts} accounts, ${AT_ONCE} calls at once each`,
      held: broken.length === 0,
      figures: `${answers} answers, debt ${debt_nanos / 1e9} USD, at most ${highest_nanos / 1e9} USD of 0.01 an account${broken.map((line) => `; ${line}`).join('')}`,
    }
  },
}
