// Accounts with a cent that send text in fields that nothing counts, 200 calls at once: they get what the cent pays for.
import { buy, CASES, TEXTS, uncountedScene } from '../../support/uncounted-input.ts'
import type { Attack, Result } from './attack.ts'

const AT_ONCE = 200

export const uncountedInput: Attack = {
  name: 'uncounted-input',
  what: 'text in fields that nothing counts, from accounts with a cent',
  async run({ rounds }): Promise<Result> {
    await using s = await uncountedScene()
    const broken: string[] = []
    let answers = 0
    let debt_nanos = 0
    let highest_nanos = 0
    for (let round = 0; round < rounds; round++)
      for (const one of CASES)
        for (const [name, text] of Object.entries(TEXTS)) {
          const bought = await buy(s, one, text, AT_ONCE)
          answers += bought.answers
          debt_nanos += bought.debt_nanos
          highest_nanos = Math.max(highest_nanos, bought.cost_nanos)
          if (!bought.held || bought.answers === 0 || bought.strange.length > 0)
            broken.push(`${one.surface}, ${one.field}, ${name}: ${JSON.stringify(bought)}`)
        }
    const accounts = rounds * CASES.length * Object.keys(TEXTS).length
    return {
      tried: `${accounts} accounts, ${AT_ONCE} calls at once each`,
      held: broken.length === 0,
      seen: `${answers} answers, debt ${debt_nanos / 1e9} USD, at most ${highest_nanos / 1e9} USD of 0.01 an account${broken.map((line) => `; ${line}`).join('')}`,
    }
  },
}
