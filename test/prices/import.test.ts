// `prices import` and `prices list`: their output, the prices that change and stay, and refusals.
import { describe, expect, test } from 'bun:test'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { sceneOfEachTest } from '../app/commands/scene.ts'
import { priceListOf } from '../fixtures/price-list.ts'

const scene = sceneOfEachTest((scene) => {
  writeFileSync(scene.path('tollgate.toml'), CATALOGUE)
  writeFileSync(scene.path('list.json'), LIST)
})

/** CRLF, comments in every place, and the operator's own way of writing numbers. */
const CATALOGUE = `# The catalogue of a person who writes comments.
[[providers]]
name = "google"   # ours
protocol = "gemini"
base_url = "https://generativelanguage.googleapis.com"
api_keys = ["secret-of-google"]

[[providers]]
name = "relay"
protocol = "openai"
base_url = "https://relay.example/v1"
api_keys = ["secret-of-relay"]

# Before the model.
[[models]]
id = "flash"
kind = "text"   # text
routes = [
  { provider = "relay", model = "acme/flash", order = 2 },  # the dear one
  { provider = "google", model = "flash-1" },               # the first
]

# Before the price.
[models.price]
# above input
input = 0.300   # per million
output = 1      # per million
thinking = 3.50 # our own
extras = { google_search = 0.035 }

[[models]]
id = "vectors"
kind = "embedding"
routes = [{ provider = "google", model = "vectors-1" }]
price = { input = 0.02 } # cheap

[[models]]
id = "painter"
kind = "image"
routes = [{ provider = "google", model = "painter-1" }]
price = { per_image = "0.04", variants = [{ size = "1024x1024", quality = "hd", per_image = 0.08 }] }

[[models]]
id = "unknown"
kind = "text"
routes = [{ provider = "google", model = "nobody-knows" }]
price = { input = 1, output = 1 }

# The end.
`.replaceAll('\n', '\r\n')

const LIST = priceListOf(40, 3, {
  'gemini/flash-1': {
    litellm_provider: 'gemini',
    mode: 'chat',
    input_cost_per_token: 2.5e-7,
    output_cost_per_token: '1e-06',
    cache_read_input_token_cost: 1.55555555555e-8,
    input_cost_per_token_above_200k_tokens: 5e-7,
    input_cost_per_token_batches: 1e-7,
    search_context_cost_per_query: { search_context_size_low: 0.035 },
  },
  'flash-1': {
    litellm_provider: 'vertex_ai-language-models',
    mode: 'chat',
    input_cost_per_token: 9e-7,
    output_cost_per_token: 9e-7,
  },
  'openrouter/acme/flash': {
    litellm_provider: 'openrouter',
    mode: 'chat',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
  },
  'gemini/vectors-1': {
    litellm_provider: 'gemini',
    mode: 'embedding',
    input_cost_per_token: 2e-8,
    output_cost_per_token: 0,
  },
  'gemini/painter-1': { litellm_provider: 'gemini', mode: 'image_generation', output_cost_per_image: 0.03 },
  'gemini/hd/1024-x-1024/painter-1': {
    litellm_provider: 'gemini',
    mode: 'image_generation',
    output_cost_per_image: 0.06,
  },
})

const text = () => readFileSync(scene.path('tollgate.toml'), 'utf8')
/** At cost unless a test names a markup. */
const atCost = (args: string[]) => (args.includes('--markup') ? args : [...args, '--markup', '0%'])
const runImport = (...args: string[]) =>
  scene.run('prices', 'import', scene.path('list.json'), ...atCost(args))
const importAsJson = (...args: string[]) =>
  scene.json('prices', 'import', scene.path('list.json'), ...atCost(args))

const TABLE = `
MODEL    WHAT         RATE                    OLD          NEW
flash    cost google  input                     -         0.25
flash    cost google  output                    -         1.00
flash    cost google  cache_read                -  0.015555556
flash    cost google  input >200k               -         0.50
flash    cost google  output >200k              -         1.00
flash    price        output                 1.00         1.20
flash    price        cache_read                -  0.018666668
flash    price        input >200k               -         0.60
flash    price        output >200k              -         1.20
flash    price        thinking >200k            -         3.50
vectors  cost google  input                     -         0.02
vectors  price        input                  0.02        0.024
painter  cost google  per_image                 -         0.03
painter  cost google  per_image 1024x1024 hd    -         0.06
painter  price        per_image              0.04        0.036
painter  price        per_image 1024x1024 hd  0.08       0.072
`

describe('prices import', () => {
  test('prints the difference, the unused prices, and the models that stay unchanged', async () => {
    const { out, err, status } = await runImport('--markup', '20%')
    const cells = (lines: string) =>
      lines
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/))
    const [table = '', ...rest] = out.split('\n\n')
    expect(cells(table)).toEqual(cells(TABLE))
    expect(rest.join('\n\n')).toContain(
      `Not in the list: unknown (google:nobody-knows).
Ambiguous: flash (relay:acme/flash) may be openrouter/acme/flash. Choose one
with --from.

Prices in the list that are not used:
  input_cost_per_token_batches: flash
  search_context_cost_per_query: flash
  output_cost_per_token: vectors

Rounded up to a nano-dollar:
  cache_read_input_token_cost: flash

Kept, because the list does not have it:
  thinking: flash
  extras: flash
`,
    )
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
    // There was no terminal to ask at.
    expect({ err, status }).toEqual({
      err: 'Nothing was written. Add --yes to skip the question.',
      status: 1,
    })
    expect(text()).toBe(CATALOGUE)
  })

  test('writes costs and prices, and keeps every other character', async () => {
    const { status, err } = await runImport('--markup', '20%', '--yes')
    expect({ status, err }).toEqual({
      status: 0,
      err: `Written to ${scene.path('tollgate.toml')}. A running gateway picks it up.`,
    })
    const written = CATALOGUE.replace(
      'model = "flash-1" }',
      'model = "flash-1", cost = { input = 0.25, output = 1.00, cache_read = 0.015555556, tiers = [{ above = 200000, input = 0.50, output = 1.00 }] } }',
    )
      .replace('output = 1      #', 'output = 1.20      #')
      .replace(
        'extras = { google_search = 0.035 }\r\n',
        'extras = { google_search = 0.035 }\r\ncache_read = 0.018666668\r\ntiers = [{ above = 200000, input = 0.60, output = 1.20, thinking = 3.50 }]\r\n',
      )
      .replace('model = "vectors-1" }', 'model = "vectors-1", cost = { input = 0.02 } }')
      .replace('price = { input = 0.02 }', 'price = { input = 0.024 }')
      .replace(
        'model = "painter-1" }',
        'model = "painter-1", cost = { per_image = 0.03, variants = [{ size = "1024x1024", quality = "hd", per_image = 0.06 }] } }',
      )
      .replace('per_image = "0.04"', 'per_image = 0.036')
      .replace('per_image = 0.08', 'per_image = 0.072')
    expect(text()).toBe(written)
    expect((await scene.run('config', 'check')).status).toBe(0)
  })

  test('changes nothing the second time', async () => {
    await runImport('--markup', '20%', '--yes')
    const written = text()
    const { status, out } = await runImport('--markup', '20%')
    expect(status).toBe(0)
    expect(out).toStartWith('Nothing to change.')
    expect(out).toContain('Changes: 0, in models: 0.')
    expect(text()).toBe(written)
  })

  test.each([
    ['y', true],
    ['YES ', true],
    ['', false],
    ['n', false],
    ['yess', false],
    ['maybe', false],
  ])('asks, and with the answer %j writes: %p', async (reply, is_written) => {
    scene.ask = async (question) => {
      expect(question).toBe('Write this to the catalogue? [y/N] ')
      return reply
    }
    const { status, err } = await runImport('--markup', '0%')
    expect(status).toBe(is_written ? 0 : 1)
    expect(text() !== CATALOGUE).toBe(is_written)
    if (!is_written) expect(err).toBe('Nothing was written.')
  })

  test('changes only the models and the provider that are named', async () => {
    const models = async (...args: string[]) => {
      const { changes } = await importAsJson('--yes', '--accept-jumps', ...args)
      return [...new Set(changes.map(({ model }: { model: string }) => model))]
    }
    expect(await models('--model', 'vec*', '--model', 'painter')).toEqual(['vectors', 'painter'])
    expect(await models('--provider', 'relay')).toEqual([])
    expect(await models('--provider', 'relay', '--from', 'openrouter')).toEqual(['flash'])
    expect(text()).toContain('model = "acme/flash", order = 2, cost = { input = 1.00, output = 2.00 } }')
    expect(await models('--model', 'flash')).toEqual(['flash'])
  })

  test('prints the provider of an entry whose name does not have it, for --from', async () => {
    const ranker = { litellm_provider: 'cohere', mode: 'rerank', input_cost_per_query: 0.002 }
    writeFileSync(scene.path('list.json'), JSON.stringify({ 'rank-1': ranker }))
    writeFileSync(
      scene.path('tollgate.toml'),
      `[[providers]]
name = "house"
protocol = "openai"
base_url = "http://127.0.0.1:9/v1"

[[models]]
id = "ranks"
kind = "rerank"
routes = [{ provider = "house", model = "rank-1" }]
price = { per_search = 0.001 }
`,
    )
    expect((await runImport()).out).toContain('Ambiguous: ranks (house:rank-1) may be rank-1 of cohere.')
    expect((await runImport('--from', 'cohere', '--yes')).status).toBe(0)
    expect((await runImport('--from', 'cohere')).err).toBe('')
  })

  test.each([[['--yes']], [[]], [['--json']], [['--yes', '--accept-jumps']]])(
    'writes nothing without a markup, which has no default, with %p either',
    async (options) => {
      const before = text()
      scene.ask = async () => 'y'
      const { status, err } = await scene.run('prices', 'import', scene.path('list.json'), ...options)
      expect([status, err]).toEqual([1, expect.stringContaining('no markup is set')])
      expect(text()).toBe(before)
    },
  )

  test('uses the markup of the catalogue unless --markup overrides it', async () => {
    const marked = (percent: string) => `${CATALOGUE}\n[catalogue]\nmarkup = ${percent}\n`
    writeFileSync(scene.path('tollgate.toml'), marked('"12.5"'))
    const vectors = ['prices', 'import', scene.path('list.json'), '--yes', '--model', 'vectors']
    expect((await scene.run(...vectors)).status).toBe(0)
    expect(text()).toContain('input = 0.0225')
    expect((await scene.run(...vectors, '--markup', '100%')).status).toBe(0)
    expect(text()).toContain('input = 0.04')
  })

  test('takes the name of a known server in --from, and OpenRouter’s own list', async () => {
    const flash = ['--model', 'flash', '--from']
    const { used } = await importAsJson('--yes', ...flash, 'google')
    expect(used[0].entry).toBe('gemini/flash-1')
    const without = JSON.parse(LIST)
    delete without['openrouter/acme/flash']
    writeFileSync(scene.path('list.json'), JSON.stringify(without))
    const { status, err } = await runImport(...flash, 'openrouter')
    expect(status).toBe(1)
    expect(err).toContain('Download https://openrouter.ai/api/v1/models')
    const pricing = { prompt: '0.000003', completion: '0.000004' }
    writeFileSync(scene.path('list.json'), JSON.stringify({ data: [{ id: 'acme/flash', pricing }] }))
    await runImport('--yes', '--accept-jumps', ...flash, 'openrouter')
    expect(text()).toContain('model = "acme/flash", order = 2, cost = { input = 3.00, output = 4.00 } }')
  })

  test('prints every detail exactly with --json', async () => {
    const answer = await importAsJson('--yes', '--model', 'flash')
    expect(answer).toMatchObject({ written: true, skipped: ['sample_spec'] })
    expect(answer.changes).toContainEqual({
      model: 'flash',
      cost_of: { provider: 'google', upstream: 'flash-1' },
      rate: 'cache_read',
      old_nanos: null,
      old_usd: null,
      new_nanos: 15_555_556,
      new_usd: '0.015555556',
      jump: false,
    })
    expect(answer.used).toEqual([
      {
        model: 'flash',
        provider: 'google',
        upstream: 'flash-1',
        entry: 'gemini/flash-1',
        unmapped: ['input_cost_per_token_batches', 'search_context_cost_per_query'],
        rounded: ['cache_read_input_token_cost'],
        kept: ['thinking', 'extras'],
      },
    ])
    expect(answer.left).toEqual([
      {
        model: 'flash',
        provider: 'relay',
        upstream: 'acme/flash',
        reason: 'ambiguous',
        entries: ['openrouter/acme/flash'],
      },
    ])
  })

  test('adds the cost to `models --json`, in the form of the price', async () => {
    await runImport('--yes', '--model', 'painter')
    const { models } = await scene.json('models')
    expect(models[2].routes).toEqual([
      { provider: 'google', model: 'painter-1', weight: 1, order: 0, cost: models[2].price },
    ])
  })

  test('asks no question with --json', async () => {
    scene.ask = () => Promise.reject(new Error('asked'))
    const { status, out, err } = await runImport('--json')
    expect(status).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ written: false })
    expect(JSON.parse(err).note).toContain('--yes')
    expect(text()).toBe(CATALOGUE)
  })

  test('does not overwrite a file that someone changes meanwhile', async () => {
    const theirs = CATALOGUE.replace('# The end.', '# The end, by somebody else.')
    scene.ask = async () => {
      writeFileSync(scene.path('tollgate.toml'), theirs)
      return 'y'
    }
    const { status, err } = await runImport()
    expect(status).toBe(1)
    expect(err).toContain('The file has changed since you read it')
    expect(text()).toBe(theirs)
  })

  test('needs no key of a provider, and distinguishes routes to one provider', async () => {
    const blocks = `[[providers]]
name = "google"
protocol = "gemini"
base_url = "https://generativelanguage.googleapis.com"
api_keys = ["env:A_KEY_THAT_IS_NOT_SET"]

[[models]]
id = "both"
kind = "text"

[models.price]
input = 1 # in
output = 1 # out
[[models.price.tiers]]
above = 200_000 # tier
input = 1
output = 1

[[models.routes]]
provider = "google" # first
model = "flash-1"
[models.routes.cost]
input = 7 # ours
output = 1.0

[[models.routes]] # second
provider = "google"
model = "flash-2"
order = 1
`
    writeFileSync(scene.path('tollgate.toml'), blocks)
    const second = {
      litellm_provider: 'gemini',
      mode: 'chat',
      input_cost_per_token: 2e-6,
      output_cost_per_token: 3e-6,
    }
    writeFileSync(scene.path('list.json'), JSON.stringify({ ...JSON.parse(LIST), 'gemini/flash-2': second }))
    const { status, out } = await runImport('--provider', 'google', '--yes', '--accept-jumps')
    expect(status).toBe(0)
    expect(out).toMatch(/^both +cost google:flash-1 +input +7\.00 +0\.25$/m)
    expect(out).toMatch(/^both +cost google:flash-2 +input +- +2\.00$/m)
    expect(text()).toBe(
      blocks
        .replace('input = 1 # in', 'input = 0.25 # in')
        .replace('output = 1 # out', 'output = 1 # out\ncache_read = 0.015555556')
        .replace('# tier\ninput = 1', '# tier\ninput = 0.50')
        .replace(
          'input = 7 # ours\noutput = 1.0\n',
          'input = 0.25 # ours\noutput = 1.0\ncache_read = 0.015555556\ntiers = [{ above = 200000, input = 0.50, output = 1.00 }]\n',
        )
        .replace('order = 1\n', 'order = 1\ncost = { input = 2.00, output = 3.00 }\n'),
    )
    expect((await runImport()).out).toStartWith('Nothing to change.')
  })

  test('prints no key', async () => {
    const { out, err } = await runImport('--yes', '--json')
    expect(out + err).not.toContain('secret-of')
    expect(text()).toContain('secret-of-google')
  })
})

describe('a price that changes by more than a factor of 3', () => {
  const listed = (input: number) => {
    const flash = {
      litellm_provider: 'gemini',
      mode: 'chat',
      input_cost_per_token: input,
      output_cost_per_token: 1e-6,
    }
    writeFileSync(scene.path('list.json'), JSON.stringify({ 'gemini/flash-1': flash }))
  }
  const WARNING = 'warning: 1 price changes by more than a factor of 3: flash input 0.30 -> '
  const REFUSED =
    'Nothing was written. 1 price changes by more than a factor of 3. Check them, then add --yes --accept-jumps, or choose models with --model.'

  test.each([
    [9e-7, false],
    [9.1e-7, true],
    [1e-7, false],
    [0.99e-7, true],
    [0, true],
  ])('from 0.30 to %p a token: a jump %p', async (input, is_jump) => {
    listed(input)
    const { changes } = await importAsJson('--yes', '--accept-jumps')
    const jumps = changes.filter(({ jump }: { jump: boolean }) => jump)
    expect(jumps.map(({ rate }: { rate: string }) => rate)).toEqual(is_jump ? ['input'] : [])
  })

  test.each([[['--yes']], [[]], [['--accept-jumps']]])(
    'is not written with %p without a terminal to ask at',
    async (flags) => {
      listed(3e-6)
      const { status, err } = await runImport('--markup', '0%', ...flags)
      expect(status).toBe(1)
      if (flags.includes('--accept-jumps')) expect(err).toEndWith('Add --yes to skip the question.')
      else expect(err).toBe(`${WARNING}3.00. Check that the list is right.\n${REFUSED}`)
      expect(text()).toBe(CATALOGUE)
    },
  )

  test('with --json is refused as a note, after the difference', async () => {
    listed(3e-6)
    const { status, out, err } = await runImport('--markup', '0%', '--yes', '--json')
    expect(status).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ written: false })
    expect(err.split('\n').map((line) => JSON.parse(line))).toEqual([
      { warning: expect.stringContaining('flash input 0.30 -> 3.00') },
      { note: REFUSED },
    ])
    expect(text()).toBe(CATALOGUE)
  })

  test.each([
    ['y', true],
    ['', false],
  ])('is confirmed at a terminal, even with --yes; %j writes it: %p', async (reply, is_written) => {
    listed(3e-6)
    const questions: string[] = []
    scene.ask = async (question) => {
      questions.push(question)
      return reply
    }
    const { status } = await runImport('--markup', '0%', '--yes')
    expect(questions).toEqual([
      '1 price changes by more than a factor of 3. Write this to the catalogue? [y/N] ',
    ])
    expect(status).toBe(is_written ? 0 : 1)
    expect(text() !== CATALOGUE).toBe(is_written)
  })

  test('is written without a question by --yes --accept-jumps, with a warning', async () => {
    listed(3e-6)
    scene.ask = () => Promise.reject(new Error('asked'))
    const { status, err } = await runImport('--markup', '0%', '--yes', '--accept-jumps')
    expect(status).toBe(0)
    expect(err).toStartWith(WARNING)
    expect(text()).toContain('input = 3.00')
  })
})

test('duplicates in a list are reported, and the last one is used', async () => {
  const flash = (input: string) =>
    `"gemini/flash-1": { "litellm_provider": "gemini", "mode": "chat", ${input}, "output_cost_per_token": 1e-6 }`
  const twice = '"input_cost_per_token": 9e-9, "input_cost_per_token": 4e-7'
  writeFileSync(scene.path('list.json'), `{ ${flash('"input_cost_per_token": 2e-7')}, ${flash(twice)} }`)
  const { err } = await runImport('--markup', '0%', '--yes')
  expect(err).toStartWith(
    'warning: Listed twice (the last one is used): gemini/flash-1, gemini/flash-1: input_cost_per_token.\n',
  )
  expect(text()).toContain('input = 0.40')
  expect(await importAsJson()).toMatchObject({
    duplicates: ['gemini/flash-1', 'gemini/flash-1: input_cost_per_token'],
  })
})

describe('prices import refuses', () => {
  test.each([
    ['1.2', 2],
    ['-1%', 2],
    ['abc', 2],
    ['', 2],
    ['%', 2],
    ['NaN%', 2],
    ['1e400%', 2],
    ['1,2%', 2],
    ['10001%', 2],
    ['20', 2],
  ])('a markup of %j', async (markup, status) => {
    const refused = await runImport(`--markup=${markup}`, '--yes')
    expect(refused.status).toBe(status)
    expect(refused.err).toContain('Write a percentage from 0% to 10000%')
    expect(text()).toBe(CATALOGUE)
  })

  test.each([
    [
      ['--model', 'gpt-*'],
      'No model in the catalogue matches gpt-*. Its models: flash, vectors, painter, unknown.',
    ],
    [['--model', 'flash', '--model', 'no such'], 'neither a model id nor a pattern'],
    [['--provider', 'openai'], 'Provider "openai" not found in the catalogue. Its providers: google, relay.'],
    [['--from', 'nobody'], 'Provider "nobody" not found in the list'],
  ])('%j', async (args, message) => {
    const { status, err } = await runImport(...args, '--yes')
    expect(status).toBe(1)
    expect(err).toContain(message)
    expect(text()).toBe(CATALOGUE)
  })

  const entry = (price: string) =>
    `{"gemini/flash-1":{"litellm_provider":"gemini","mode":"chat","output_cost_per_token":1e-6,"input_cost_per_token":${price}}}`
  test.each([
    ['text', 'it is not JSON'],
    ['[]', 'it is not an object of models'],
    ['{}', 'it has no models'],
    [entry('NaN'), 'it is not JSON'],
    [entry('"NaN"'), '"NaN" is not a decimal number'],
    [entry('-1e-6'), '"-1e-6" is not a decimal number of 0 or more'],
    [entry('1e400'), '"1e400" is not a decimal number'],
    [entry('1e30'), 'more USD than can be counted'],
    [entry('1.5'), 'more than the catalogue takes'],
  ])('a list of %.60s', async (list, message) => {
    writeFileSync(scene.path('list.json'), list)
    const { status, err } = await runImport('--yes')
    expect(status).toBe(1)
    expect(err).toContain(message)
    expect(text()).toBe(CATALOGUE)
  })

  test('a price above the maximum after the markup', async () => {
    writeFileSync(scene.path('list.json'), entry('0.9'))
    const { status, err } = await runImport('--yes', '--markup', '100%')
    expect(status).toBe(1)
    expect(err).toContain('models[0].price.input must be between 0 and 1000000 USD')
    expect(text()).toBe(CATALOGUE)
    expect((await runImport('--yes', '--markup', '10000%')).err).toContain(
      'more USD than can be counted exactly',
    )
    expect(text()).toBe(CATALOGUE)
  })

  test('a missing file, a folder, and a file too large for a list', async () => {
    expect((await scene.run('prices', 'import', scene.path('absent.json'))).err).toContain(
      'file or folder not found',
    )
    expect((await scene.run('prices', 'import', scene.dir)).err).toContain('is a folder: name the price list')
    truncateSync(scene.path('list.json'), 33 * 1_048_576)
    expect((await runImport()).err).toContain('a price list has at most')
  })

  test('a catalogue with mistakes', async () => {
    writeFileSync(scene.path('tollgate.toml'), CATALOGUE.replace('input = 0.02', 'input = -1'))
    const { status, err } = await runImport('--yes')
    expect(status).toBe(1)
    expect(err).toContain('The catalogue has mistakes:')
  })
})

describe('prices list', () => {
  const rows = async () =>
    (await scene.run('prices', 'list')).out.split('\n').map((line) => line.split(/ {2,}/))

  test('prints prices, costs, margins, and the factor between costs and prices', async () => {
    await runImport('--markup', '25%', '--yes', '--model', 'flash', '--model', 'vectors')
    await runImport('--markup', '0%', '--yes', '--model', 'painter')
    const table = await rows()
    // The list has no cost of thinking, whose price is the operator's own: the price is not a factor of the cost.
    expect(table).toContainEqual(['flash', 'google', 'input', '0.3125', '0.25', '0.0625, 20 %', '-'])
    expect(table).toContainEqual(['flash', 'relay', 'input', '0.3125', '-', '-', '-'])
    expect(table).toContainEqual([
      'vectors',
      'google',
      'input',
      '0.025',
      '0.02',
      '0.005, 20 %',
      'cost + 25 %',
    ])
    expect(table).toContainEqual([
      'painter',
      'google',
      'per_image',
      '0.03',
      '0.03',
      '0.00, 0 %',
      'cost + 0 %',
    ])
    expect(table).toContainEqual(['unknown', 'google', 'output', '1.00', '-', '-', '-'])
  })

  test('--json has every rate', async () => {
    await runImport('--markup', '100%', '--yes')
    const { models } = await scene.json('prices', 'list')
    expect(models[0].routes[0]).toMatchObject({ provider: 'google', model: 'flash-1' })
    expect(models[1].routes[0].rates[0]).toEqual({
      rate: 'input',
      of: '',
      per: 'million tokens',
      price_nanos: 40_000_000,
      price_usd: '0.04',
      cost_nanos: 20_000_000,
      cost_usd: '0.02',
      margin_nanos: 20_000_000,
      margin_usd: '0.02',
      margin_percent: '50',
    })
  })

  test('marks a price that is its provider’s list price', async () => {
    writeFileSync(
      scene.path('tollgate.toml'),
      `${CATALOGUE}
[[models]]
id = "lite"
kind = "text"
routes = [{ provider = "google", model = "gemini-2.5-flash-lite" }]
price = { input = 0.10, output = 0.40 }
`,
    )
    expect(await rows()).toContainEqual(['lite', 'google', 'input', '0.10', '-', '-', 'list, November 2026'])
  })

  test('fits a terminal of 80 columns', async () => {
    await runImport('--markup', '25%', '--yes')
    scene.columns = 80
    const { out } = await scene.run('prices', 'list')
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(out).toContain('+ 25 %')
  })
})
