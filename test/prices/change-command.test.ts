// `prices change`: its output, its question, the prices that it writes, and refusals.
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { sceneOfEachTest } from '../app/commands/scene.ts'

const TEXT = `# ours
[[providers]]
name = "acme"
protocol = "openai"
base_url = "https://acme.example/v1"
api_keys = ["secret-of-acme"]

[[models]]
id = "flash"
kind = "text"
routes = [{ provider = "acme", model = "gpt-4o", cost = { input = 0.30, output = 2 } }]
price = { input = 0.33, output = 2.50 } # ours

[[models]]
id = "free"
kind = "image"
routes = [{ provider = "acme", model = "painter-1" }]
price = { per_image = 0 }
`
const scene = sceneOfEachTest((scene) => {
  writeFileSync(scene.path('tollgate.toml'), TEXT)
  scene.columns = 100
})
const file = () => readFileSync(scene.path('tollgate.toml'), 'utf8')
const change = (...more: string[]) => scene.run('prices', 'change', 'acme', ...more)

test.each<[string, string[], RegExp]>([
  ['no percentage', [], /--by <percent>/],
  ['a percentage without %', ['--by', '10'], /Write a percentage above -100%/],
  ['a change of 0', ['--by', '0%'], /Write a percentage above -100%/],
  ['a change to 0', ['--by', '-100%'], /Write a percentage above -100%/],
  ['an unknown target', ['--by', '10%', '--target', 'all'], /price, cost, both/],
  [
    'an unknown model',
    ['--by', '10%', '--model', 'flush'],
    /acme serves no model "flush"\. Its models: flash, free\./,
  ],
  ['a question without a terminal', ['--by', '10%'], /Nothing was changed\. Add --yes/],
  ['a question without a terminal, in JSON', ['--by', '10%', '--json'], /Nothing was changed\. Add --yes/],
])('%s is refused, and nothing is written', async (_, options, words) => {
  const { status, err } = await change(...options)
  expect(status).not.toBe(0)
  expect(err).toMatch(words)
  expect(file()).toBe(TEXT)
})

test('an unknown provider is refused', async () => {
  expect(await scene.refusal('prices', 'change', 'acne', '--by', '10%')).toContain(
    'Provider "acne" not found',
  )
})

describe('a dry run', () => {
  test('prints each amount before and after with its margin, and the amounts that stay', async () => {
    const { status, out, err } = await change('--by', '10%', '--dry-run')
    expect([status, file()]).toEqual([0, TEXT])
    expect(out).toMatch(/^flash +acme +input +0\.33 +0\.363 +0\.30 +17\.4 %$/m)
    expect(out).toMatch(/^flash +acme +output +2\.50 +2\.75 +2\.00 +27\.3 %$/m)
    // It follows from input; gpt-4o's own costs half of its input.
    expect(out).toMatch(/^flash +acme +cache_read +0\.033 +0\.0363 +0\.15 +-313\.2 %$/m)
    expect(out).not.toContain('thinking')
    expect(err).toContain('free is free, and stays free.')
  })

  test('prints JSON, with written: false', async () => {
    const answer = await scene.json(
      'prices',
      'change',
      'acme',
      '--by',
      '-10%',
      '--target',
      'cost',
      '--dry-run',
    )
    expect(answer).toMatchObject({
      ...{ provider: 'acme', percent: '-10', target: 'cost', written: false },
      models: [
        { id: 'flash', left: [] },
        { id: 'free', left: ['cost unknown'] },
      ],
    })
    expect(answer.models[0].routes[0].lines[0]).toMatchObject({
      ...{ old_price_usd: '0.33', price_usd: '0.33', old_cost_usd: '0.30', cost_usd: '0.27' },
    })
    expect(file()).toBe(TEXT)
  })
})

describe('a change', () => {
  test('is written once the operator agrees, after a warning of a loss', async () => {
    const questions: string[] = []
    scene.ask = (question) => Promise.resolve(questions.push(question) === 1 ? 'n' : 'y')
    const no = await change('--by', '-20%')
    expect([no.status, file()]).toEqual([1, TEXT])
    expect(no.err).toContain('1 model sells below cost: flash.')
    expect((await change('--by', '-20%')).status).toBe(0)
    expect(file()).toBe(TEXT.replace('input = 0.33, output = 2.50', 'input = 0.264, output = 2.00'))
    expect(questions).toEqual([
      'Write these prices to the catalogue? [y/N] ',
      'Write these prices to the catalogue? [y/N] ',
    ])
  })

  test('of cost and price is written with --yes, and the history names the command', async () => {
    const answer = await scene.json('prices', 'change', 'acme', '--by', '10%', '--target', 'both', '--yes')
    expect(answer).toMatchObject({ target: 'both', written: true })
    expect(file()).toBe(
      TEXT.replace('input = 0.33, output = 2.50', 'input = 0.363, output = 2.75').replace(
        'input = 0.30, output = 2 ',
        'input = 0.33, output = 2.20 ',
      ),
    )
    const { versions } = await scene.json('config', 'history')
    expect(versions[0]).toMatchObject({ made_by: 'command:prices change' })
  })

  test('without an effect writes nothing, without a question', async () => {
    const { status, err } = await change('--by', '10%', '--model', 'free')
    expect([status, file()]).toEqual([0, TEXT])
    expect(err).toContain('free is free')
  })
})
